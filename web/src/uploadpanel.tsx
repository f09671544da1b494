// Where files are dropped, and what becomes of them.
import { useRef } from 'preact/hooks'
import { readInput, type Dropped } from './drop'
import { left, percent, rate, size } from './format'
import { Icon, IconButton } from './icons'
import { interrupted } from './interrupted'
import { last, numbered, shown } from './paths'
import { session } from './session'
import { useSource } from './source'
import { texts } from './texts'
import { copy } from './toasts'
import { uploads, type State, type Upload } from './uploads'

export function DropCard({ onChosen, reading }: { onChosen: (dropped: Dropped) => void; reading: number }) {
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const chosen = (event: Event & { currentTarget: HTMLInputElement }) => {
    const input = event.currentTarget
    if (input.files) onChosen(readInput(input.files))
    input.value = ''
  }
  const limit = session.info?.you.max_size || session.info?.limits.upload_size || 0
  const hints = [limit > 0 && texts.limitHint(limit), session.info?.free !== undefined && texts.freeHint(session.info.free)].filter(Boolean)
  return (
    <section class="card drop" aria-label={texts.dropTitle}>
      <Icon name="upload" />
      <h2>{texts.dropTitle}</h2>
      <p class="quiet">{texts.dropHint}</p>
      <div class="pair">
        <button type="button" class="button primary" onClick={() => files.current?.click()}>
          {texts.chooseFiles}
        </button>
        <button type="button" class="button" onClick={() => folder.current?.click()}>
          {texts.chooseFolder}
        </button>
      </div>
      <p class="quiet small">{reading > 0 ? texts.reading(reading) : hints.join(' · ')}</p>
      <input ref={files} id="choose-files" class="unseen" type="file" multiple tabIndex={-1} aria-label={texts.chooseFiles} onChange={chosen} />
      <input ref={folder} id="choose-folder" class="unseen" type="file" multiple {...{ webkitdirectory: true }} tabIndex={-1} aria-label={texts.chooseFolder} onChange={chosen} />
    </section>
  )
}

export function Left() {
  useSource(interrupted)
  const all = interrupted.all
  if (all.length === 0) return null
  return (
    <section class="card interrupted" aria-label={texts.interrupted(all.length)}>
      <h2>{texts.interrupted(all.length)}</h2>
      <p class="quiet">{texts.interruptedHint}</p>
      <ul>
        {all.map((one) => (
          <li key={one.key}>
            <span class="path">{shown(one.path)}</span>
            <span class="quiet">{texts.percentThere(percent(one.sent, one.size))}</span>
            <IconButton icon="close" label={texts.forget(one.path)} onClick={() => void interrupted.forget(one)} />
          </li>
        ))}
      </ul>
    </section>
  )
}

// rows bounds the uploads of a group that are shown.
const rows = 60

const rank: Record<State, number> = { failed: 0, running: 1, retrying: 1, paused: 2, waiting: 3, done: 4 }

export function UploadList() {
  useSource(uploads)
  const all = uploads.all
  if (all.length === 0) return null
  const done = all.filter(({ state }) => state === 'done')
  const failed = all.filter(({ state }) => state === 'failed')
  const open = all.filter(({ state }) => state !== 'done' && state !== 'failed')
  const active = [...failed, ...open].sort((a, b) => rank[a.state] - rank[b.state])
  const counted = all.filter(({ state }) => state !== 'failed')
  const bytes = counted.reduce((sum, { size }) => sum + size, 0)
  const sent = counted.reduce((sum, { sent }) => sum + sent, 0)
  const speed = open.length > 0 && !uploads.paused ? uploads.meter.rate : 0
  const canPause = uploads.resumable && open.some(({ state }) => state === 'running' || state === 'waiting' || state === 'retrying')
  const canResume = uploads.paused || open.some(({ state }) => state === 'paused')
  return (
    <section class="card uploads" aria-label={texts.uploads}>
      <header>
        <h2>{texts.total(done.length, all.length)}</h2>
        <span class="quiet numbers">{speed > 0 ? `${rate(speed)} · ${left((bytes - sent) / speed)}` : open.length > 0 ? '' : failed.length > 0 ? texts.someFailed(failed.length) : texts.done}</span>
      </header>
      <progress max={Math.max(bytes, 1)} value={bytes === 0 && done.length > 0 ? 1 : sent} aria-label={texts.totalProgress} />
      <div class="tools">
        {canPause && !uploads.paused && (
          <button type="button" class="button" onClick={() => uploads.pauseAll(true)}>
            <Icon name="pause" /> {texts.pauseAll}
          </button>
        )}
        {canResume && (
          <button type="button" class="button" onClick={() => uploads.pauseAll(false)}>
            <Icon name="play" /> {texts.resumeAll}
          </button>
        )}
        {failed.some(({ fault }) => fault?.action !== 'none') && (
          <button type="button" class="button" onClick={() => uploads.retryAll()}>
            <Icon name="retry" /> {texts.retryAll}
          </button>
        )}
        {open.length > 0 && (
          <button type="button" class="button" onClick={() => uploads.cancelAll()}>
            {texts.cancelAll}
          </button>
        )}
        {open.length === 0 && done.length > 0 && (
          <button type="button" class="button" onClick={() => uploads.clearDone()}>
            {texts.clearDone}
          </button>
        )}
      </div>
      {!uploads.resumable && <p class="quiet small">{texts.formsOnly}</p>}
      <ul tabIndex={0} aria-label={texts.uploadList}>
        {active.slice(0, rows).map((upload) => (
          <Item key={upload.id} upload={upload} />
        ))}
        {active.length > rows && <li class="quiet">{texts.moreUploads(active.length - rows)}</li>}
        {done.slice(-rows).reverse().map((upload) => (
          <Item key={upload.id} upload={upload} />
        ))}
        {done.length > rows && <li class="quiet">{texts.moreDone(done.length - rows)}</li>}
      </ul>
    </section>
  )
}

function Item({ upload }: { upload: Upload }) {
  const { path, state, fault } = upload
  const name = last(path)
  const url = state === 'done' && session.may('read') ? upload.url : undefined
  return (
    <li class={`upload ${state}`} data-state={state} data-path={path}>
      <div class="line">
        {url ? (
          <a class="path" href={url} title={path}>
            {shown(path)}
          </a>
        ) : (
          <span class="path" title={path}>
            {shown(path)}
          </span>
        )}
        <span class="acts">
          {(state === 'running' || state === 'waiting' || state === 'retrying') && uploads.resumable && (
            <IconButton icon="pause" label={texts.pause(name)} onClick={() => uploads.pause(upload, true)} />
          )}
          {state === 'paused' && <IconButton icon="play" label={texts.resume(name)} onClick={() => uploads.pause(upload, false)} />}
          {state === 'failed' && fault?.action === 'retry' && <IconButton icon="retry" label={texts.retry(name)} onClick={() => uploads.retry(upload)} />}
          {url && <IconButton icon="link" label={texts.copyLink(name)} onClick={() => void copy(new URL(url, location.href).href, texts.linkCopied)} />}
          {state !== 'done' && <IconButton icon="close" label={texts.cancel(name)} onClick={() => uploads.cancel(upload)} />}
        </span>
      </div>
      {state !== 'done' && state !== 'failed' && <progress max={Math.max(upload.size, 1)} value={upload.sent} aria-label={texts.progressOf(name)} />}
      <div class="line quiet small numbers">{particulars(upload)}</div>
      {fault && state === 'failed' && (
        <div class="fault">
          <p>
            <strong>{fault.what}</strong> {fault.hint} {fault.requestID && <span class="quiet">{texts.requestNumber(fault.requestID)}</span>}
          </p>
          {fault.action === 'rename' && (
            <button type="button" class="button" onClick={() => uploads.rename(upload, numbered(path, 1))}>
              {texts.noReplace}
            </button>
          )}
          {fault.action === 'login' && (
            <button type="button" class="button" onClick={() => session.askLogin()}>
              {texts.logIn}
            </button>
          )}
        </div>
      )}
    </li>
  )
}

function particulars(upload: Upload) {
  const { state, sent, size: bytes, meter, digest } = upload
  const amount = `${size(sent)} of ${size(bytes)}`
  switch (state) {
    case 'running': {
      const speed = meter.rate
      return (
        <>
          <span>{amount}</span>
          <span>{sent === bytes ? texts.finishing : speed > 0 ? `${rate(speed)} · ${left((bytes - sent) / speed)}` : ''}</span>
        </>
      )
    }
    case 'waiting':
      return (
        <>
          <span>{size(bytes)}</span>
          <span>{texts.waiting}</span>
        </>
      )
    case 'paused':
      return (
        <>
          <span>{amount}</span>
          <span>{texts.paused}</span>
        </>
      )
    case 'retrying':
      return (
        <>
          <span>{amount}</span>
          <span>{texts.retrying}</span>
        </>
      )
    case 'failed':
      return <span>{size(bytes)}</span>
    case 'done':
      return (
        <>
          <span>{size(bytes)}</span>
          {digest && (
            <button type="button" class="digest" title={texts.copyDigest(last(upload.path))} onClick={() => void copy(digest, texts.digestCopied)}>
              {digest}
            </button>
          )}
        </>
      )
  }
}
