// The queue of uploads: what waits, runs, is paused, done or failed. It gives
// the engine a few files at a time, so that thousands cost no more than those.
import { newEngine, type Arrived, type Engine, type Reports } from './engine'
import type { Fault } from './faults'
import { interrupted } from './interrupted'
import { fileURL, isName, last, withLink } from './paths'
import { Meter } from './meter'
import { Source } from './source'
import { texts } from './texts'

export type State = 'waiting' | 'running' | 'paused' | 'retrying' | 'done' | 'failed'

export interface Upload {
  id: string
  path: string // where it is to stand
  file: File
  size: number
  state: State
  sent: number
  meter: Meter
  fault?: Fault
  url?: string
  digest?: string
}

// inEngine is how many files the engine has at a time. It sends four of them.
const inEngine = 40

// lostAgain is after how many ms a file whose connection was lost is tried again.
const lostAgain = 5000

const ended = (state: State) => state === 'done' || state === 'failed'

function fail(upload: Upload, [what, hint]: readonly [string, string]): void {
  upload.state = 'failed'
  upload.fault = { status: 0, what, hint, action: 'none' }
}

export class Uploads extends Source implements Reports {
  all: Upload[] = []
  // paused tells that nothing is to start.
  paused = false
  readonly meter = new Meter()
  onDone: (upload: Upload) => void = () => {}
  onIdle: () => void = () => {}

  #byID = new Map<string, Upload>()
  #engine: Engine | undefined
  #inEngine = new Set<string>()
  #limit = 0
  #useTus = true
  #moved = 0 // bytes, for the rate of all

  configure(limit: number, useTus: boolean): void {
    this.#limit = limit
    this.#useTus = useTus
  }

  get resumable(): boolean {
    return this.#engine?.resumable ?? this.#useTus
  }

  // add takes files, of which those that can't arrive fail at once.
  add(files: { path: string; file: File }[]): void {
    for (const { path: wanted, file } of files) {
      const left = interrupted.find(last(wanted), file)
      const path = left?.path ?? wanted
      if (left) interrupted.drop(left.key)
      const id = `${path}:${file.size}:${file.lastModified}`
      const before = this.#byID.get(id)
      if (before && !ended(before.state)) continue
      if (before) this.#forget(before)
      const upload: Upload = { id, path, file, size: file.size, state: 'waiting', sent: 0, meter: new Meter() }
      const words = this.#refuses(path, file)
      if (words) fail(upload, words)
      this.all.push(upload)
      this.#byID.set(id, upload)
    }
    this.#fill()
    this.changed()
  }

  // #refuses tells why the server wouldn't take a file.
  #refuses(path: string, file: File): readonly [string, string] | undefined {
    if (!isName(path)) return texts.badFileName()
    if (this.#limit > 0 && file.size > this.#limit) return texts.tooLarge(file.size, this.#limit)
    return undefined
  }

  pause(upload: Upload, paused: boolean): void {
    if (ended(upload.state)) return
    upload.state = paused ? 'paused' : this.#inEngine.has(upload.id) ? 'running' : 'waiting'
    upload.meter.reset()
    if (this.#inEngine.has(upload.id)) this.#engine?.pause(upload.id, paused)
    this.#fill()
    this.changed()
  }

  pauseAll(paused: boolean): void {
    this.paused = paused
    this.meter.reset()
    for (const upload of this.all) {
      if (paused ? upload.state === 'running' || upload.state === 'retrying' : upload.state === 'paused') this.pause(upload, paused)
    }
    this.#fill()
    this.changed()
  }

  retry(upload: Upload): void {
    if (upload.state !== 'failed') return
    this.#release([upload.id])
    upload.state = 'waiting'
    upload.fault = undefined
    this.#fill()
    this.changed()
  }

  // retryAll tries again what may work now.
  retryAll(): void {
    for (const upload of this.all) if (upload.state === 'failed' && upload.fault?.action !== 'none') this.retry(upload)
  }

  // rename sends a file that has failed to another place.
  rename(upload: Upload, path: string): void {
    this.#forget(upload)
    this.add([{ path, file: upload.file }])
  }

  cancel(upload: Upload): void {
    this.#forget(upload)
    this.#fill()
    this.changed()
  }

  cancelAll(): void {
    for (const upload of this.all.filter(({ state }) => state !== 'done')) this.#forget(upload)
    this.paused = false
    this.changed()
  }

  clearDone(): void {
    for (const upload of this.all.filter(({ state }) => state === 'done')) this.#forget(upload)
    this.changed()
  }

  get busy(): boolean {
    return this.all.some(({ state }) => !ended(state))
  }

  progress(id: string, sent: number): void {
    const upload = this.#byID.get(id)
    if (!upload || ended(upload.state) || upload.state === 'paused') return
    if (upload.state === 'running' && sent > upload.sent) {
      this.#moved += sent - upload.sent
      this.meter.at(this.#moved)
    }
    // Where an upload goes on, what was sent before has not just been moved.
    upload.state = 'running'
    upload.sent = sent
    upload.meter.at(sent)
    this.changed()
  }

  retrying(id: string): void {
    const upload = this.#byID.get(id)
    if (!upload || upload.state !== 'running') return
    upload.state = 'retrying'
    upload.meter.reset()
    this.changed()
  }

  done(id: string, arrived: Arrived): void {
    const upload = this.#byID.get(id)
    if (!upload) return
    upload.state = 'done'
    upload.sent = upload.size
    upload.url = arrived.url ? withLink(arrived.url) : fileURL(upload.path)
    upload.digest = arrived.digest
    this.onDone(upload)
    this.#after(upload)
  }

  failed(id: string, fault: Fault): void {
    const upload = this.#byID.get(id)
    if (!upload) return
    upload.meter.reset()
    if (fault.status === 0 && this.resumable && upload.state !== 'paused') {
      upload.state = 'retrying'
      void this.#tryLater(upload)
    } else {
      upload.state = 'failed'
      upload.fault = fault
      // The upload that it was to go on with is no more.
      if (fault.status === 404 || fault.status === 410) upload.sent = 0
    }
    this.#after(upload)
  }

  // #tryLater tries again, unless the file itself is what can't be read.
  async #tryLater(upload: Upload): Promise<void> {
    try {
      await upload.file.slice(0, 1).arrayBuffer()
    } catch {
      fail(upload, texts.faults.unreadable)
      this.changed()
      return
    }
    setTimeout(() => {
      if (upload.state !== 'retrying') return
      upload.state = 'waiting'
      this.#fill()
      this.changed()
    }, lostAgain)
  }

  // #after lets go of a file once the engine has told everybody of it.
  #after(upload: Upload): void {
    setTimeout(() => {
      this.#release([upload.id])
      this.#fill()
      this.changed()
      if (!this.busy) this.onIdle()
    })
  }

  // #fill gives the engine files for as long as it has room.
  #fill(): void {
    if (this.paused) return
    const next: Upload[] = []
    for (const upload of this.all) {
      if (this.#inEngine.size + next.length >= inEngine) break
      if (upload.state === 'waiting' && !this.#inEngine.has(upload.id)) next.push(upload)
    }
    if (next.length === 0) return
    this.#engine ??= newEngine(this.#useTus, this)
    for (const { id } of next) this.#inEngine.add(id)
    this.#engine.send(next)
  }

  #release(ids: string[]): void {
    for (const id of ids) this.#inEngine.delete(id)
    this.#engine?.drop(ids)
  }

  #forget(upload: Upload): void {
    this.all = this.all.filter((one) => one !== upload)
    this.#byID.delete(upload.id)
    this.#release([upload.id])
  }
}

export const uploads = new Uploads()
