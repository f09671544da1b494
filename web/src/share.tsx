// A signed link for somebody who has no token.
import { useState } from 'preact/hooks'
import * as api from './api'
import { Buttons, Dialog } from './dialog'
import { Refused } from './faults'
import { last, shown } from './paths'
import { session } from './session'
import { texts } from './texts'
import { copy } from './toasts'

// Kind is what a link is good for.
interface Kind {
  text: string
  methods: string[]
}

const day = 86_400 // s
const lives = [1, 7, 30, 365] // days

// kindsOf are the links that somebody can have, who gives away what they have.
function kindsOf(folder: boolean): Kind[] {
  const see: Kind = { text: texts.shareSee, methods: ['GET'] }
  const send: Kind = { text: texts.shareSend, methods: ['PUT', 'POST'] }
  const reads = session.may('read') && (!folder || session.may('list'))
  const writes = session.may('write') && folder
  return [...(reads ? [see] : []), ...(writes ? [send] : []), ...(reads && writes ? [{ text: texts.shareBoth, methods: [...see.methods, ...send.methods] }] : [])]
}

// mayShare: one may have a link signed to a file or folder.
export const mayShare = (folder: boolean): boolean => (session.info?.links ?? false) && kindsOf(folder).length > 0

export function Share({ path, folder, onClose }: { path: string; folder: boolean; onClose: () => void }) {
  const kinds = kindsOf(folder)
  const [kind, setKind] = useState(0)
  const [days, setDays] = useState(7)
  const [uses, setUses] = useState('')
  const [link, setLink] = useState('')
  const [bad, setBad] = useState('')
  const make = async (event: Event) => {
    event.preventDefault()
    try {
      const { url } = await api.share({ path: folder ? `${path}/` : path, methods: kinds[kind]!.methods, expires_in: days * day, max_uses: Number(uses) })
      setLink(new URL(url, location.href).href)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      setBad(`${error.fault.what} ${error.fault.hint}`)
    }
  }
  const name = path === '' ? texts.allFiles : shown(last(path))
  return (
    <Dialog title={texts.shareTitle(name)} onClose={onClose}>
      {link === '' ? (
        <form onSubmit={make}>
          {folder && (
            <fieldset class="kinds">
              <legend>{texts.shareMay}</legend>
              {kinds.map(({ text }, i) => (
                <label key={text}>
                  <input type="radio" name="kind" checked={i === kind} data-first={i === 0 ? '' : undefined} onChange={() => setKind(i)} /> {text}
                </label>
              ))}
            </fieldset>
          )}
          <label class="field">
            {texts.shareFor}
            <select value={days} data-first={folder ? undefined : ''} onChange={(event) => setDays(Number(event.currentTarget.value))}>
              {lives.map((n) => (
                <option key={n} value={n}>
                  {texts.days(n)}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            {texts.shareUses}
            <input type="number" min="1" max="1000000" inputMode="numeric" value={uses} onInput={(event) => setUses(event.currentTarget.value)} />
            <span class="quiet">{texts.shareUsesHint}</span>
          </label>
          <span class="bad" role="alert">
            {bad}
          </span>
          <Buttons onClose={onClose}>
            <button class="button primary">{texts.shareMake}</button>
          </Buttons>
        </form>
      ) : (
        <Made link={link} onClose={onClose} />
      )}
    </Dialog>
  )
}

function Made({ link, onClose }: { link: string; onClose: () => void }) {
  return (
    <>
      <label class="field">
        {texts.shareLink}
        <input readOnly value={link} ref={(input) => input?.select()} />
        <span class="quiet">{texts.shareWarning}</span>
      </label>
      <Buttons onClose={onClose} leave={texts.close}>
        <button type="button" class="button primary" onClick={() => void copy(link, texts.linkCopied)}>
          {texts.shareCopy}
        </button>
      </Buttons>
    </>
  )
}
