// Where one is, and the way up.
import { folderURL, shown } from './paths'
import { session } from './session'
import { texts } from './texts'

// follow opens a folder without leaving the page; with a key held, or by another
// button, the browser does as it always does.
export function follow(event: MouseEvent, folder: string): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  session.open(folder)
}

export function Crumbs() {
  const segments = session.folder === '' ? [] : session.folder.split('/')
  const prefix = session.info?.you.prefix ?? ''
  return (
    <nav class="crumbs" aria-label={texts.folders}>
      <ol>
        {['', ...segments].map((name, i) => {
          const path = segments.slice(0, i).join('/')
          const current = i === segments.length
          // Above one's own folder there is nothing to see.
          if (path.length < prefix.length && prefix !== '') return null
          return (
            <li key={path}>
              <a href={folderURL(path)} aria-current={current ? 'page' : undefined} onClick={(event) => follow(event, path)}>
                {i === 0 ? texts.allFiles : shown(name)}
              </a>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
