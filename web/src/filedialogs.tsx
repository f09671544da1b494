// What is asked before something happens to a file or folder.
import { useState } from 'preact/hooks'
import * as api from './api'
import { Buttons, Dialog } from './dialog'
import { Refused } from './faults'
import { Icon } from './icons'
import { fileURL, folderURL, isName, join, last, parent } from './paths'
import { Preview } from './preview'
import { attempt, session } from './session'
import { mayShare, Share } from './share'
import { texts } from './texts'
import { copy, toasts } from './toasts'

interface About {
  entry: api.Entry
  path: string
}

export type Asked = { kind: 'folder' } | { kind: 'share'; path: string; folder: boolean } | ({ kind: 'preview' | 'rename' | 'remove' | 'more' } & About)

interface Props {
  asked: Asked
  ask: (asked: Asked) => void
  onClose: () => void
}

export function Dialogs({ asked, ask, onClose }: Props) {
  switch (asked.kind) {
    case 'folder':
      return <NewFolder onClose={onClose} />
    case 'share':
      return <Share path={asked.path} folder={asked.folder} onClose={onClose} />
    case 'preview':
      return <Preview entry={asked.entry} path={asked.path} onClose={onClose} />
    case 'rename':
      return <Rename {...asked} onClose={onClose} />
    case 'remove':
      return <Remove {...asked} onClose={onClose} />
    case 'more':
      return <More {...asked} ask={ask} onClose={onClose} />
  }
}

function NewFolder({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [bad, setBad] = useState('')
  const make = async (event: Event) => {
    event.preventDefault()
    if (!isName(name)) return setBad(texts.badName)
    try {
      await api.makeFolder(join(session.folder, name))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return setBad(error.fault.status === 405 ? texts.taken(name) : `${error.fault.what} ${error.fault.hint}`)
    }
    onClose()
    await session.load()
  }
  return (
    <Dialog title={texts.folderTitle} onClose={onClose}>
      <form onSubmit={make}>
        <Field label={texts.folderName} value={name} onInput={setName} bad={bad} />
        <Buttons onClose={onClose}>
          <button class="button primary">{texts.make}</button>
        </Buttons>
      </form>
    </Dialog>
  )
}

function Field({ label, value, onInput, bad, hint }: { label: string; value: string; onInput: (value: string) => void; bad: string; hint?: string }) {
  return (
    <label class="field">
      {label}
      <input data-first value={value} autocomplete="off" spellcheck={false} aria-invalid={bad !== ''} onInput={(event) => onInput(event.currentTarget.value)} />
      {hint && <span class="quiet">{hint}</span>}
      <span class="bad" role="alert">
        {bad}
      </span>
    </label>
  )
}

function Rename({ entry, path, onClose }: About & { onClose: () => void }) {
  const [name, setName] = useState(entry.name)
  const [bad, setBad] = useState('')
  const [taken, setTaken] = useState(false)
  const to = name.startsWith('/') ? name.slice(1) : join(parent(path), name)
  const rename = async (overwrite: boolean) => {
    if (!isName(to)) return setBad(texts.badName)
    if (to === path) return onClose()
    try {
      await api.move(path, to, overwrite)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      setTaken(error.fault.status === 412)
      return setBad(error.fault.status === 412 ? texts.taken(last(to)) : `${error.fault.what} ${error.fault.hint}`)
    }
    toasts.say(texts.renamed(last(to)))
    onClose()
    await session.load()
  }
  const input = (value: string) => {
    setName(value)
    setTaken(false)
    setBad('')
  }
  return (
    <Dialog title={texts.renameTitle(entry.name)} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void rename(false)
        }}
      >
        <Field label={texts.newName} value={name} onInput={input} bad={bad} hint={texts.renameHint} />
        <Buttons onClose={onClose}>
          {taken && !entry.folder && session.info?.on_conflict === 'overwrite' && (
            <button type="button" class="button danger" onClick={() => void rename(true)}>
              {texts.replace}
            </button>
          )}
          <button class="button primary">{texts.renameNow}</button>
        </Buttons>
      </form>
    </Dialog>
  )
}

function Remove({ entry, path, onClose }: About & { onClose: () => void }) {
  const remove = async () => {
    onClose()
    if (await attempt(() => api.remove(path), texts.deleted(entry.name))) await session.load()
  }
  return (
    <Dialog title={texts.deleteTitle(entry.name)} onClose={onClose}>
      <p>{entry.folder ? texts.deleteFolderHint : texts.deleteHint}</p>
      <Buttons onClose={onClose}>
        <button type="button" class="button danger" data-first onClick={() => void remove()}>
          {texts.deleteNow}
        </button>
      </Buttons>
    </Dialog>
  )
}

// More is all that can be done, for where there is no room for it in a row.
function More({ entry, path, ask, onClose }: About & { ask: (asked: Asked) => void; onClose: () => void }) {
  const url = entry.folder ? folderURL(path) : fileURL(path)
  return (
    <Dialog title={entry.name} onClose={onClose} className="sheet">
      <div class="choices">
        {session.may('read') && (
          <a class="choice" download href={entry.folder ? folderURL(path, { archive: 'zip' }) : url} onClick={onClose}>
            <Icon name="download" /> {texts.download(entry.name)}
          </a>
        )}
        <button
          type="button"
          class="choice"
          onClick={() => {
            onClose()
            void copy(new URL(url, location.href).href, texts.linkCopied)
          }}
        >
          <Icon name="link" /> {texts.copyLink(entry.name)}
        </button>
        {mayShare(entry.folder) && (
          <button type="button" class="choice" onClick={() => ask({ kind: 'share', path, folder: entry.folder })}>
            <Icon name="share" /> {texts.share(entry.name)}
          </button>
        )}
        {session.mayArrange && session.may('delete') && (
          <button type="button" class="choice" onClick={() => ask({ kind: 'rename', entry, path })}>
            <Icon name="rename" /> {texts.rename(entry.name)}
          </button>
        )}
        {session.may('delete') && (
          <button type="button" class="choice" onClick={() => ask({ kind: 'remove', entry, path })}>
            <Icon name="remove" /> {texts.remove(entry.name)}
          </button>
        )}
      </div>
    </Dialog>
  )
}
