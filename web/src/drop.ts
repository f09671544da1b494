// What people drop, paste or choose, as files with the paths that they are to
// have below the folder they are sent to.

export interface Chosen {
  path: string
  file: File
}

export interface Dropped {
  files: Chosen[]
  // empty are folders that hold nothing.
  empty: string[]
}

const pause = () => new Promise((resolve) => setTimeout(resolve))

// readDrop reads what was dropped, folders with all below them. It has to be
// called while the drop is being handled; later the browser forgets it. Seen is
// told from time to time how many files there are so far.
export async function readDrop(transfer: DataTransfer, seen: (files: number) => void): Promise<Dropped> {
  const entries: FileSystemEntry[] = []
  const dropped: Dropped = { files: [], empty: [] }
  for (const item of transfer.items) {
    if (item.kind !== 'file') continue
    const entry = item.webkitGetAsEntry?.()
    const file = entry ? null : item.getAsFile()
    if (entry) entries.push(entry)
    else if (file) dropped.files.push({ path: file.name, file })
  }
  let reported = 0
  const visit = async (entry: FileSystemEntry, path: string): Promise<void> => {
    if (entry.isFile) {
      dropped.files.push({ path, file: await fileOf(entry as FileSystemFileEntry) })
      if (dropped.files.length - reported >= 200) {
        reported = dropped.files.length
        seen(reported)
        await pause()
      }
      return
    }
    const members = await membersOf(entry as FileSystemDirectoryEntry)
    if (members.length === 0) dropped.empty.push(path)
    for (const member of members) await visit(member, `${path}/${member.name}`)
  }
  for (const entry of entries) await visit(entry, entry.name)
  return dropped
}

const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject))

// membersOf asks until nothing more comes: browsers tell of some at a time.
async function membersOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const members: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return members
    members.push(...some)
  }
}

// readInput reads what was chosen by an input; a folder's files know their paths.
export const readInput = (files: FileList): Dropped => ({
  files: [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file })),
  empty: [],
})
