// The page as a whole.
import { useEffect, useRef, useState } from 'preact/hooks'
import { logOut } from './api'
import { Dialog } from './dialog'
import { readDrop, readInput, type Dropped } from './drop'
import { Files } from './files'
import { Icon, IconButton } from './icons'
import { Login } from './login'
import { folderURL } from './paths'
import { question, send, type Answer } from './send'
import { attempt, session, type View } from './session'
import { useSource } from './source'
import { texts } from './texts'
import { setTheme, theme } from './theme'
import { ToastList, toasts } from './toasts'
import { Transfers } from './transfers'
import { DropCard, Left, UploadList } from './uploadpanel'
import { uploads } from './uploads'

export function App() {
  useSource(session)
  const [reading, setReading] = useState(0)
  const take = (dropped: Dropped | Promise<Dropped>) => {
    const { folder } = session
    Promise.resolve(dropped)
      .then((all) => send(all, folder))
      .catch((error: unknown) => toasts.say(error instanceof Error ? error.message : String(error), true))
      .finally(() => setReading(0))
  }
  const over = useDrops(take, setReading)
  const mayWrite = session.may('write')
  const sees = session.may('list') || !session.info
  return (
    <>
      <Header />
      <main class={session.view === 'files' && mayWrite ? (sees ? 'split' : 'drops') : 'wide'}>
        <h1 class="unseen">{session.view === 'files' ? `/${session.folder}` : texts.transfers}</h1>
        {session.needsLogin ? (
          <section class="card narrow">
            <h2>{texts.logIn}</h2>
            <Login onDone={() => undefined} />
          </section>
        ) : session.view === 'transfers' ? (
          <Transfers />
        ) : (
          <>
            {mayWrite && (
              <aside>
                {!sees && <p class="quiet">{texts.uploadOnly}</p>}
                <DropCard onChosen={take} reading={reading} />
                <Left />
                <UploadList />
              </aside>
            )}
            {sees ? <Files /> : !mayWrite && <section class="card blank quiet">{texts.nothingHere}</section>}
          </>
        )}
      </main>
      {over && mayWrite && (
        <div class="curtain" aria-hidden="true">
          <div>
            <Icon name="upload" /> {texts.dropNow}
          </div>
        </div>
      )}
      <Conflicts />
      {session.loginAsked && (
        <Dialog title={texts.logIn} onClose={() => session.askLogin(false)}>
          <Login onDone={() => session.askLogin(false)} />
        </Dialog>
      )}
      <ToastList />
      <Announcer />
    </>
  )
}

function Header() {
  const [current, setCurrent] = useState(theme())
  const next = current === 'dark' ? 'light' : 'dark'
  useEffect(() => {
    const system = matchMedia('(prefers-color-scheme: dark)')
    const follow = () => setCurrent(theme())
    system.addEventListener('change', follow)
    return () => system.removeEventListener('change', follow)
  }, [])
  const you = session.info?.you
  const tab = (view: View, label: string) => (
    <a
      href={folderURL(session.folder) + (view === 'transfers' ? '#transfers' : '')}
      aria-current={session.view === view ? 'page' : undefined}
      onClick={(event) => {
        event.preventDefault()
        session.show(view)
      }}
    >
      {label}
    </a>
  )
  return (
    <header class="top">
      <a class="brand" href={folderURL('')} onClick={(event) => {
        event.preventDefault()
        session.open('')
      }}>
        <span class="mark" aria-hidden="true" />
        {texts.brand}
      </a>
      {session.mayWatch && (
        <nav class="tabs" aria-label={texts.views}>
          {tab('files', texts.files)}
          {tab('transfers', texts.transfers)}
        </nav>
      )}
      <span class="fill" />
      {you?.name != null && !session.byLink && <span class="quiet user">{texts.loggedIn(you.name)}</span>}
      {you?.name != null && !session.byLink ? (
        <button type="button" class="button" onClick={() => void attempt(logOut).then(() => session.meet())}>
          {texts.logOut}
        </button>
      ) : (
        session.canLogIn && (
          <button type="button" class="button" onClick={() => session.askLogin()}>
            {texts.logIn}
          </button>
        )
      )}
      <IconButton
        icon={next === 'dark' ? 'moon' : 'sun'}
        label={texts.theme(next)}
        onClick={() => {
          setTheme(next)
          setCurrent(next)
        }}
      />
    </header>
  )
}

// useDrops takes what is dropped or pasted anywhere on the page, and tells whether
// something is held over it.
function useDrops(take: (dropped: Dropped | Promise<Dropped>) => void, seen: (files: number) => void): boolean {
  const [over, setOver] = useState(false)
  const latest = useRef(take)
  latest.current = take
  useEffect(() => {
    let depth = 0
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const ready = () => session.view === 'files' && session.may('write')
    const listen = {
      dragenter(event: DragEvent) {
        if (!holdsFiles(event)) return
        event.preventDefault()
        depth++
        setOver(true)
      },
      dragover(event: DragEvent) {
        if (!holdsFiles(event)) return
        event.preventDefault()
        if (event.dataTransfer) event.dataTransfer.dropEffect = ready() ? 'copy' : 'none'
      },
      dragleave(event: DragEvent) {
        if (!holdsFiles(event)) return
        if (--depth <= 0) setOver(false)
      },
      drop(event: DragEvent) {
        depth = 0
        setOver(false)
        if (!event.dataTransfer || !holdsFiles(event)) return
        event.preventDefault() // or the browser would open the file in place of the page
        if (ready()) latest.current(readDrop(event.dataTransfer, seen))
      },
      paste(event: ClipboardEvent) {
        const files = event.clipboardData?.files
        if (!files?.length || !ready()) return
        event.preventDefault()
        latest.current(readInput(files))
      },
    }
    const names = Object.keys(listen) as (keyof typeof listen)[]
    for (const name of names) addEventListener(name, listen[name] as EventListener)
    return () => {
      for (const name of names) removeEventListener(name, listen[name] as EventListener)
    }
  }, [])
  return over
}

// Conflicts asks what is to become of files that are there already.
function Conflicts() {
  useSource(question)
  const { paths } = question
  if (paths.length === 0) return null
  const choice = (answer: Answer, label: string, className = 'button') => (
    <button type="button" class={className} onClick={() => question.answer(answer)} {...(answer === 'both' ? { 'data-first': true } : {})}>
      {label}
    </button>
  )
  return (
    <Dialog title={texts.conflictTitle(paths.length)} onClose={() => question.answer('skip')}>
      <ul class="names">
        {paths.slice(0, 8).map((path) => (
          <li key={path}>{path}</li>
        ))}
        {paths.length > 8 && <li class="quiet">{texts.andMore(paths.length - 8)}</li>}
      </ul>
      <footer>
        {choice('skip', texts.skip)}
        {session.info?.on_conflict === 'overwrite' && choice('replace', texts.replace, 'button danger')}
        {choice('both', texts.keepBoth, 'button primary')}
      </footer>
    </Dialog>
  )
}

// Announcer tells screen readers how the uploads have ended.
function Announcer() {
  const [text, setText] = useState('')
  useEffect(() => {
    uploads.onIdle = () => {
      const failed = uploads.all.filter(({ state }) => state === 'failed').length
      const done = uploads.all.filter(({ state }) => state === 'done').length
      setText(failed > 0 ? texts.someFailed(failed) : done > 0 ? texts.allDone(done) : '')
      void session.load()
    }
  }, [])
  return (
    <div class="unseen" role="status">
      {text}
    </div>
  )
}
