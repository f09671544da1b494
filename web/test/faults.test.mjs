import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from './load.mjs'

const { Refused, faultIn, faultOf, parseProblem } = await load('faults.ts')

test('each refusal has words and something to do', () => {
  for (const status of [0, 400, 401, 403, 404, 409, 410, 411, 412, 413, 415, 421, 422, 429, 500, 503, 507]) {
    const fault = faultOf(status, { detail: 'That is why.' })
    assert.ok(fault.what.length > 5 && (fault.hint.length > 5 || status === 409), `${status}: ${JSON.stringify(fault)}`)
    assert.ok(['retry', 'rename', 'login', 'none'].includes(fault.action))
  }
})

test('a name that is taken is asked for another', () => {
  assert.equal(faultOf(409, { detail: "The server doesn't replace files." }).action, 'rename')
  assert.equal(faultOf(409, { detail: 'A folder has this name.' }).action, 'rename')
  assert.equal(faultOf(409, { detail: 'The upload is in use.' }).what, 'The upload is in use.')
  assert.equal(faultOf(412).action, 'rename')
})

test('what the server says of its own faults stays with it', () => {
  assert.equal(faultOf(400, { detail: 'The name is too long.' }).hint, 'The name is too long.')
  assert.ok(!JSON.stringify(faultOf(500, { detail: 'open /srv: denied' })).includes('/srv'))
})

test('a body that is no problem says nothing', () => {
  for (const body of ['', '<html>', 'null', '7', '"a"', '{', '[]']) assert.equal(parseProblem(body).detail, undefined)
  assert.equal(parseProblem('{"detail":"a","request_id":"b"}').request_id, 'b')
})

test('an error without an answer is a lost connection', () => {
  assert.equal(faultIn(new TypeError('Failed to fetch')).status, 0)
  assert.equal(faultIn(new Refused(faultOf(507))).status, 507)
})
