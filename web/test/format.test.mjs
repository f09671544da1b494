import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from './load.mjs'

const { count, left, percent, rate, size } = await load('format.ts')

const table = (name, write, rows) =>
  test(name, () => {
    for (const [value, want] of rows) assert.equal(write(value), want, `of ${value}`)
  })

table('sizes are in powers of 1000, with three digits', size, [
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 KB'],
  [99_949, '99.9 KB'],
  [99_950, '100 KB'],
  [999_499, '999 KB'],
  [999_500, '1.0 MB'],
  [3_221_225_472, '3.2 GB'],
  [Number.MAX_SAFE_INTEGER, '9.0 PB'],
])

table('rates are in MB/s, however small', rate, [
  [0, '0.0 MB/s'],
  [50_000, '0.1 MB/s'],
  [99_949_999, '99.9 MB/s'],
  [99_950_000, '100 MB/s'],
  [1_345_000_000, '1345 MB/s'],
])

table('no time has 60 seconds or 60 minutes', left, [
  [Number.POSITIVE_INFINITY, ''],
  [Number.NaN, ''],
  [0, '1 s left'],
  [59.4, '59 s left'],
  [59.6, '1 min 0 s left'],
  [119.7, '2 min 0 s left'],
  [3599.7, '1 h 0 min left'],
  [7199, '2 h 0 min left'],
  [9000, '2 h 30 min left'],
])

table('counts are grouped', count, [
  [7, '7'],
  [10_000, '10,000'],
])

test('percent is 100 at the end alone', () => {
  assert.equal(percent(0, 10), 0)
  assert.equal(percent(999, 1000), 99)
  assert.equal(percent(1000, 1000), 100)
  assert.equal(percent(0, 0), 100)
})
