// Names of files, and where they are found. A path is a name's segments joined
// by "/", without one at either end; "" is the folder of all files.

export const base = document.documentElement.dataset.base ?? ''

// link is what whoever has come by one shows with each request.
const link = new URLSearchParams(globalThis.location?.search).get('link')

// address is where something of this server is found, with a query.
export function address(path: string, query: Record<string, string> = {}): string {
  const all = new URLSearchParams(link === null ? query : { ...query, link }).toString()
  return all === '' ? base + path : `${base}${path}?${all}`
}

// withLink makes an address that the server tells one that its link opens.
export function withLink(url: string): string {
  if (link === null) return url
  const at = new URL(url, location.href)
  at.searchParams.set('link', link)
  return at.href
}

const escaped = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

export const fileURL = (path: string): string => address(`/files/${escaped(path)}`)
export const folderURL = (path: string, query?: Record<string, string>): string => address(path === '' ? '/files/' : `/files/${escaped(path)}/`, query)

// folderOf is the folder that an address of this server shows; undefined for one
// that shows none.
export function folderOf(pathname: string): string | undefined {
  if (pathname === `${base}/` || pathname === base) return ''
  if (!pathname.startsWith(`${base}/files/`) || !pathname.endsWith('/')) return undefined
  try {
    return pathname
      .slice(base.length + '/files/'.length)
      .replace(/\/$/, '')
      .split('/')
      .map(decodeURIComponent)
      .join('/')
  } catch {
    return undefined
  }
}

export const join = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)
export const parent = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))
export const last = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

// shown is a name as it is safe to read: marks that turn the direction of writing
// would let "exe.txt" stand for what ends in ".exe".
export const shown = (name: string): string => name.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')

const bytes = new TextEncoder()

// isName tells whether the server takes a path.
export const isName = (path: string): boolean =>
  path.split('/').every(
    (segment) =>
      segment.trim() !== '' && segment !== '.' && segment !== '..' && !segment.includes('\\') && segment.isWellFormed() && !/\p{Cc}/u.test(segment) && bytes.encode(segment).length <= 255,
  )

// numbered is the path with a number before its extension.
export function numbered(path: string, n: number): string {
  const name = last(path)
  const dot = name.lastIndexOf('.')
  const cut = dot > 0 ? dot : name.length
  return join(parent(path), `${name.slice(0, cut)} (${n})${name.slice(cut)}`)
}
