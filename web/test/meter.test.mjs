import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from './load.mjs'

const { Meter } = await load('meter.ts')

// at runs something at a time of its own.
function at(ms, run) {
  const { now } = performance
  performance.now = () => ms
  try {
    return run()
  } finally {
    performance.now = now
  }
}

test('the rate is that of the last seconds', () => {
  const meter = new Meter()
  for (let ms = 0; ms <= 10_000; ms += 100) at(ms, () => meter.at(ms < 5000 ? 0 : (ms - 5000) * 1000))
  assert.equal(at(10_000, () => Math.round(meter.rate / 1e5)), 10)
})

test('nothing is known at first, and after a reset', () => {
  const meter = new Meter()
  at(0, () => meter.at(0))
  at(100, () => meter.at(1e6))
  assert.equal(at(100, () => meter.rate), 0)
  at(1000, () => meter.at(2e6))
  assert.ok(at(1000, () => meter.rate) > 0)
  meter.reset()
  assert.equal(at(1000, () => meter.rate), 0)
})

test('what has stopped slows down', () => {
  const meter = new Meter()
  for (let ms = 0; ms <= 2000; ms += 100) at(ms, () => meter.at(ms * 1000))
  const before = at(2000, () => meter.rate)
  assert.ok(at(6000, () => meter.rate) < before / 2)
})

test('few samples are kept', () => {
  const meter = new Meter()
  for (let ms = 0; ms < 1e6; ms += 10) at(ms, () => meter.at(ms))
  assert.ok(at(1e6, () => meter.rate) <= 1000)
})
