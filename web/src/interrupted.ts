// Uploads that a page has left unfinished. tus-js-client keeps their addresses
// in the browser; the files themselves have to be chosen again.
import { Source } from './source'

export interface Interrupted {
  key: string // in the browser's store
  url: string
  path: string
  size: number
  modified: number // of the file, ms
  sent: number // bytes that the server has
}

const prefix = 'tus::'
const most = 20 // that the server is asked about

class Left extends Source {
  all: Interrupted[] = []

  // load finds them, and asks the server which of them it still has.
  async load(): Promise<void> {
    const found = keys().map(read).filter((one) => one !== undefined)
    const known = await Promise.all(found.slice(0, most).map(ask))
    this.all = known.filter((one) => one !== undefined)
    this.changed()
  }

  // find is the one that a file belongs to: a file of its name, size and time
  // goes where it was going.
  find(name: string, file: File): Interrupted | undefined {
    return this.all.find((one) => one.path.endsWith(name) && one.size === file.size && one.modified === file.lastModified)
  }

  drop(key: string): void {
    this.all = this.all.filter((one) => one.key !== key)
    this.changed()
  }

  // forget gives an upload up, here and on the server.
  async forget(one: Interrupted): Promise<void> {
    this.drop(one.key)
    localStorage.removeItem(one.key)
    await fetch(one.url, { method: 'DELETE', headers: { 'Tus-Resumable': '1.0.0' } }).catch(() => undefined)
  }
}

export const interrupted = new Left()

function keys(): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix))
  } catch {
    return []
  }
}

function read(key: string): Interrupted | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? '') as { size: number; uploadUrl?: string; metadata?: Record<string, string> }
    const path = kept.metadata?.['relativePath']
    if (!kept.uploadUrl || !path) return undefined
    return { key, url: kept.uploadUrl, path, size: kept.size, modified: Number(kept.metadata?.['modified'] ?? 0), sent: 0 }
  } catch {
    return undefined
  }
}

async function ask(one: Interrupted): Promise<Interrupted | undefined> {
  const answer = await fetch(one.url, { method: 'HEAD', headers: { 'Tus-Resumable': '1.0.0' } }).catch(() => undefined)
  if (!answer) return one
  if (answer.ok) return { ...one, sent: Number(answer.headers.get('Upload-Offset') ?? 0) }
  if (answer.status === 404 || answer.status === 410) localStorage.removeItem(one.key)
  return undefined
}
