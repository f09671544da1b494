// From what was dropped to the queue: asks about files that are there already,
// makes the empty folders, uploads the rest.
import * as api from './api'
import type { Chosen, Dropped } from './drop'
import { Refused } from './faults'
import { join, numbered, parent } from './paths'
import { session } from './session'
import { Source } from './source'
import { texts } from './texts'
import { toasts } from './toasts'
import { uploads } from './uploads'

export type Answer = 'replace' | 'both' | 'skip'

// Question is asked while somebody has to decide about files that are there.
class Question extends Source {
  paths: string[] = []
  #answer: ((answer: Answer) => void) | undefined

  ask(paths: string[]): Promise<Answer> {
    this.answer('skip')
    this.paths = paths
    this.changed()
    return new Promise((resolve) => (this.#answer = resolve))
  }

  answer(answer: Answer): void {
    this.#answer?.(answer)
    this.#answer = undefined
    this.paths = []
    this.changed()
  }
}

export const question = new Question()

// mostFolders bounds the folders that are looked into for files that are there.
const mostFolders = 200

export async function send(dropped: Dropped, folder: string): Promise<void> {
  const files = dropped.files.map(({ path, file }) => ({ path: join(folder, path), file }))
  const there = await taken(files, folder)
  const conflicts = files.filter(({ path }) => there.has(path))
  let chosen = files
  if (conflicts.length > 0 && session.info?.on_conflict !== 'rename') {
    const answer = await question.ask(conflicts.map(({ path }) => path))
    if (answer === 'skip') chosen = files.filter(({ path }) => !there.has(path))
    if (answer === 'both') chosen = files.map((one) => ({ ...one, path: there.has(one.path) ? free(one.path, there) : one.path }))
  }
  if (chosen.length > 0) uploads.add(chosen)
  await makeFolders(dropped.empty.map((path) => join(folder, path)))
}

// taken are the paths of files that are there already, where that can be known.
async function taken(files: Chosen[], top: string): Promise<Set<string>> {
  const there = new Set<string>()
  if (!session.may('list')) return there
  const wanted = new Set(files.map(({ path }) => parent(path)))
  // Folders are looked into from the top down, where there are any.
  const open = [top]
  for (let looked = 0; open.length > 0 && looked < mostFolders; looked++) {
    const folder = open.shift()!
    const listing = await api.list(folder).catch(() => undefined)
    for (const entry of listing?.entries ?? []) {
      const path = join(folder, entry.name)
      if (!entry.folder) there.add(path)
      else if ([...wanted].some((one) => one === path || one.startsWith(`${path}/`))) open.push(path)
    }
  }
  return there
}

function free(path: string, there: Set<string>): string {
  let n = 1
  while (there.has(numbered(path, n))) n++
  there.add(numbered(path, n))
  return numbered(path, n)
}

async function makeFolders(paths: string[]): Promise<void> {
  let made = 0
  for (const path of paths) {
    try {
      await api.makeFolder(path)
      made++
    } catch (error) {
      // One that is there is as good as made.
      if (!(error instanceof Refused)) throw error
      if (error.fault.status === 405) continue
      toasts.say(`${path}: ${error.fault.what} ${error.fault.hint}`, true)
      return
    }
  }
  if (made > 0) {
    toasts.say(texts.foldersMade(made))
    await session.load()
  }
}
