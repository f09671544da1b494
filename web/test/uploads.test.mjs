import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { load } from './load.mjs'

globalThis.localStorage ??= {}
// The engine only notes what it is told.
const { Uploads } = await load('uploads.ts', {
  './engine': `export function newEngine(useTus, reports) {
    const engine = globalThis.engine = { resumable: useTus, reports, sent: [], dropped: [], paused: [] }
    engine.send = (files) => engine.sent.push(...files.map(({ id }) => id))
    engine.drop = (ids) => engine.dropped.push(...ids)
    engine.pause = (id, paused) => engine.paused.push([id, paused])
    return engine
  }`,
})

const file = (name, size = 10) => ({ path: name, file: { name, size, lastModified: 1, slice: () => ({ arrayBuffer: async () => new ArrayBuffer(1) }) } })
const files = (n) => Array.from({ length: n }, (_, i) => file(`${i}`))
const states = () => Object.fromEntries(uploads.all.map(({ path, state }) => [path, state]))
const turn = () => new Promise((resolve) => setTimeout(resolve))
let uploads

beforeEach(() => {
  globalThis.engine = undefined
  uploads = new Uploads()
  uploads.configure(100, true)
})

test('the engine has a bounded number of files, and gets the next when one is done', async () => {
  uploads.add(files(1000))
  assert.equal(engine.sent.length, 40)
  engine.reports.done(engine.sent[0], {})
  await turn()
  assert.equal(engine.sent.length, 41)
  assert.equal(engine.dropped.length, 1)
})

test('what can not arrive is refused before it is sent', () => {
  uploads.add([file('a'), file('large', 101), file('a/../b')])
  assert.deepEqual(states(), { a: 'waiting', large: 'failed', 'a/../b': 'failed' })
  assert.equal(engine.sent.length, 1)
  assert.equal(uploads.all[1].fault.action, 'none')
})

test('a file that is on its way is not taken twice', () => {
  uploads.add([file('a')])
  uploads.add([file('a')])
  assert.equal(uploads.all.length, 1)
})

test('the same file can be sent again once it is done', async () => {
  uploads.add([file('a')])
  engine.reports.done(engine.sent[0], { url: '/files/a' })
  await turn()
  uploads.add([file('a')])
  assert.equal(uploads.all.length, 1)
  assert.equal(engine.sent.length, 2)
})

test('paused means that nothing starts', async () => {
  uploads.pauseAll(true)
  uploads.add([file('a')])
  assert.equal(globalThis.engine, undefined)
  uploads.pauseAll(false)
  assert.equal(engine.sent.length, 1)
})

test('bytes that come after a pause do not end it', () => {
  uploads.add([file('a')])
  const [id] = engine.sent
  engine.reports.progress(id, 5)
  uploads.pause(uploads.all[0], true)
  engine.reports.progress(id, 6)
  assert.equal(uploads.all[0].state, 'paused')
  assert.deepEqual(engine.paused, [[id, true]])
})

test('a lost connection is tried again, a refusal is not', async () => {
  uploads.add([file('a'), file('b')])
  const [a, b] = engine.sent
  engine.reports.failed(a, { status: 0, what: '', hint: '', action: 'retry' })
  engine.reports.failed(b, { status: 507, what: '', hint: '', action: 'retry' })
  assert.deepEqual(states(), { a: 'retrying', b: 'failed' })
  await turn()
  uploads.retryAll()
  assert.equal(engine.sent.filter((id) => id === b).length, 2)
})

test('without tus a lost connection is a failure', () => {
  uploads.configure(100, false)
  uploads.add([file('a')])
  engine.reports.failed(engine.sent[0], { status: 0, what: '', hint: '', action: 'retry' })
  assert.deepEqual(states(), { a: 'failed' })
})

test('a name that the server has forgotten begins anew', () => {
  uploads.add([file('a')])
  engine.reports.progress(engine.sent[0], 5)
  engine.reports.failed(engine.sent[0], { status: 404, what: '', hint: '', action: 'retry' })
  assert.equal(uploads.all[0].sent, 0)
})

test('renaming sends the same file to another place', () => {
  uploads.add([file('a')])
  engine.reports.failed(engine.sent[0], { status: 409, what: '', hint: '', action: 'rename' })
  uploads.rename(uploads.all[0], 'b')
  assert.equal(uploads.all.length, 1)
  assert.equal(uploads.all[0].path, 'b')
  assert.equal(engine.sent.length, 2)
})

test('cancelling leaves nothing behind', () => {
  uploads.add(files(3))
  uploads.cancelAll()
  assert.equal(uploads.all.length, 0)
  assert.equal(engine.dropped.length, 3)
  assert.equal(uploads.busy, false)
})

test('all are told when the last one has ended', async () => {
  let idle = 0
  uploads.onIdle = () => idle++
  uploads.add(files(2))
  engine.reports.done(engine.sent[0], {})
  await turn()
  assert.equal(idle, 0)
  engine.reports.done(engine.sent[1], {})
  await turn()
  assert.equal(idle, 1)
})
