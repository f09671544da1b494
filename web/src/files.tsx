// The folder: its files, sorted and filtered, and what can be done with them.
import { useMemo, useState } from 'preact/hooks'
import type { Entry } from './api'
import { Crumbs, follow } from './crumbs'
import { Dialogs, type Asked } from './filedialogs'
import { size, time } from './format'
import { Icon, IconButton } from './icons'
import { fileURL, folderURL, join, shown } from './paths'
import { session } from './session'
import { mayShare } from './share'
import { texts } from './texts'
import { copy } from './toasts'

type Column = 'name' | 'size' | 'modified'

// shownAtOnce bounds the rows that a browser has to lay out.
const shownAtOnce = 500

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

const compare: Record<Column, (a: Entry, b: Entry) => number> = {
  name: (a, b) => collator.compare(a.name, b.name) || (a.name < b.name ? -1 : 1),
  size: (a, b) => a.size - b.size,
  modified: (a, b) => Date.parse(a.modified) - Date.parse(b.modified),
}

function arranged(entries: Entry[], column: Column, up: boolean, filter: string): Entry[] {
  const wanted = filter.toLocaleLowerCase()
  return entries
    .filter(({ name }) => name.toLocaleLowerCase().includes(wanted))
    .sort((a, b) => Number(b.folder) - Number(a.folder) || (up ? 1 : -1) * compare[column](a, b))
}

export function Files() {
  const [column, setColumn] = useState<Column>('name')
  const [up, setUp] = useState(true)
  const [filter, setFilter] = useState('')
  const [shown, setShown] = useState(shownAtOnce)
  const [asked, ask] = useState<Asked>()
  const { listing, fault, loading, folder } = session
  const entries = useMemo(() => arranged(listing?.entries ?? [], column, up, filter), [listing, column, up, filter])
  const sort = (by: Column) => {
    setUp(by === column ? !up : by === 'name')
    setColumn(by)
  }
  return (
    <section class="card listing" aria-busy={loading}>
      <div class="bar">
        <Crumbs />
        <div class="tools">
          {session.mayArrange && (
            <button type="button" class="button" onClick={() => ask({ kind: 'folder' })}>
              <Icon name="plus" /> {texts.newFolder}
            </button>
          )}
          {mayShare(true) && (
            <button type="button" class="button" onClick={() => ask({ kind: 'share', path: folder, folder: true })}>
              <Icon name="share" /> {texts.shareFolder}
            </button>
          )}
          {session.may('read') && entries.length > 0 && (
            <span class="pair">
              <a class="button" download href={folderURL(folder, { archive: 'zip' })} aria-label={`${texts.downloadAll} ${texts.asZip}`}>
                <Icon name="download" /> zip
              </a>
              <a class="button" download href={folderURL(folder, { archive: 'tar' })} aria-label={`${texts.downloadAll} ${texts.asTar}`}>
                tar
              </a>
            </span>
          )}
          <input type="search" class="filter" placeholder={texts.filter} aria-label={texts.filter} value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        </div>
      </div>
      {fault ? (
        <div class="blank" role="alert">
          <Icon name="warn" />
          <h2>{fault.what}</h2>
          <p>{fault.hint}</p>
          <a class="button" href={folderURL('')} onClick={(event) => follow(event, '')}>
            {texts.allFiles}
          </a>
        </div>
      ) : (
        <>
          <table class="files">
            <thead>
              <tr>
                <Heading column="name" label={texts.name} current={column} up={up} onSort={sort} />
                <Heading column="size" label={texts.size} current={column} up={up} onSort={sort} />
                <Heading column="modified" label={texts.modified} current={column} up={up} onSort={sort} />
                <th class="acts">
                  <span class="unseen">{texts.actions}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {entries.slice(0, shown).map((entry) => (
                <Row key={entry.url} entry={entry} ask={ask} />
              ))}
            </tbody>
          </table>
          {entries.length === 0 && <Nothing loading={loading && !listing} filter={filter} />}
          {entries.length > shown && (
            <button type="button" class="button more" onClick={() => setShown(shown + shownAtOnce)}>
              {texts.showMore(Math.min(shownAtOnce, entries.length - shown))}
            </button>
          )}
          {listing?.more && <p class="quiet">{texts.listed(listing.entries.length)}</p>}
        </>
      )}
      {asked && <Dialogs asked={asked} ask={ask} onClose={() => ask(undefined)} />}
    </section>
  )
}

interface HeadingProps {
  column: Column
  label: string
  current: Column
  up: boolean
  onSort: (column: Column) => void
}

function Heading({ column, label, current, up, onSort }: HeadingProps) {
  const sorted = column === current
  return (
    <th class={column === 'size' ? 'number' : column === 'modified' ? 'time' : ''} aria-sort={sorted ? (up ? 'ascending' : 'descending') : 'none'}>
      <button type="button" onClick={() => onSort(column)}>
        {label}
        <span class={sorted ? 'arrow' : 'arrow off'}>
          <Icon name={up || !sorted ? 'up' : 'down'} />
        </span>
      </button>
    </th>
  )
}

function Nothing({ loading, filter }: { loading: boolean; filter: string }) {
  if (loading) return <div class="blank quiet">{texts.loading}</div>
  if (filter) return <div class="blank quiet">{texts.noMatch(filter)}</div>
  if (!session.may('write')) return <div class="blank quiet">{texts.emptyReadOnly}</div>
  return (
    <div class="blank">
      <Icon name="folder" />
      <h2>{texts.empty}</h2>
      <p>{texts.emptyHint}</p>
    </div>
  )
}

function Row({ entry, ask }: { entry: Entry; ask: (asked: Asked) => void }) {
  const { name, folder } = entry
  const path = join(session.folder, name)
  const url = folder ? folderURL(path) : fileURL(path)
  const open = (event: MouseEvent) => {
    if (folder) return follow(event, path)
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || !session.may('read')) return
    event.preventDefault()
    ask({ kind: 'preview', entry, path })
  }
  return (
    <tr>
      <td class="name">
        <a href={url} onClick={open}>
          <Icon name={folder ? 'folder' : 'file'} />
          <span>{shown(name)}</span>
        </a>
        <span class="particulars quiet">
          {folder ? texts.folder : size(entry.size)} · {time(new Date(entry.modified))}
        </span>
      </td>
      <td class="number">{folder ? '' : size(entry.size)}</td>
      <td class="time">{time(new Date(entry.modified))}</td>
      <td class="acts">
        <div class="wide-only">
          {session.may('read') && (
            <a class="icon-button" download href={folder ? folderURL(path, { archive: 'zip' }) : url} aria-label={texts.download(name)} title={texts.download(name)}>
              <Icon name="download" />
            </a>
          )}
          <IconButton icon="link" label={texts.copyLink(name)} onClick={() => void copy(new URL(url, location.href).href, texts.linkCopied)} />
          {mayShare(folder) && <IconButton icon="share" label={texts.share(name)} onClick={() => ask({ kind: 'share', path, folder })} />}
          {session.mayArrange && session.may('delete') && <IconButton icon="rename" label={texts.rename(name)} onClick={() => ask({ kind: 'rename', entry, path })} />}
          {session.may('delete') && <IconButton icon="remove" label={texts.remove(name)} onClick={() => ask({ kind: 'remove', entry, path })} />}
        </div>
        <div class="narrow-only">
          <IconButton icon="more" label={texts.moreActions(name)} onClick={() => ask({ kind: 'more', entry, path })} />
        </div>
      </td>
    </tr>
  )
}
