// The server, as the page sees it.
import { faultOf, parseProblem, Refused } from './faults'
import { address, fileURL, folderURL } from './paths'

export interface Info {
  version: string
  limits: { upload_size: number; listed: number; name_bytes: number }
  protocols: string[]
  on_conflict: 'overwrite' | 'reject' | 'rename'
  free?: number
  links: boolean // can be signed for others
  you: You
}

export interface You {
  name: string | null
  scopes: string[]
  prefix: string
  max_size: number
  methods?: string[] // that a link is good for
}

export interface Entry {
  name: string
  url: string
  folder: boolean
  size: number
  modified: string
}

export interface Listing {
  folder: string
  entries: Entry[]
  more: boolean
}

async function ask(url: string, init: RequestInit = {}): Promise<Response> {
  let response: Response
  try {
    response = await fetch(url, { ...init, headers: { Accept: 'application/json', ...init.headers } })
  } catch {
    throw new Refused(faultOf(0))
  }
  if (!response.ok) throw new Refused(faultOf(response.status, parseProblem(await response.text().catch(() => ''))))
  return response
}

export const info = async (): Promise<Info> => (await ask(address('/api/v1/info'))).json()
export const list = async (folder: string): Promise<Listing> => (await ask(folderURL(folder))).json()
export const remove = (path: string) => ask(fileURL(path), { method: 'DELETE' })
export const makeFolder = (path: string) => ask(folderURL(path), { method: 'MKCOL' })
export const move = (from: string, to: string, overwrite: boolean) =>
  ask(fileURL(from), { method: 'MOVE', headers: { Destination: fileURL(to), Overwrite: overwrite ? 'T' : 'F' } })
export const stopTransfer = (id: string) => ask(address(`/api/v1/transfers/${encodeURIComponent(id)}`), { method: 'DELETE' })
export const share = async (wanted: { path: string; methods: string[]; expires_in: number; max_uses: number }): Promise<{ url: string }> =>
  (await ask(address('/api/v1/links'), { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(wanted) })).json()
export const logIn = (token: string) => ask(address('/api/v1/session'), { method: 'POST', headers: { Authorization: `Bearer ${token}` } })
export const logOut = () => ask(address('/api/v1/session'), { method: 'DELETE' })

// beginning reads the first bytes of a file, and tells whether there are more.
export async function beginning(path: string, bytes: number): Promise<{ content: Uint8Array; more: boolean }> {
  const response = await ask(fileURL(path), { headers: { Accept: '*/*', Range: `bytes=0-${bytes - 1}` } }).catch((error: unknown) => {
    // An empty file has no first byte.
    if (error instanceof Refused && error.fault.status === 416) return undefined
    throw error
  })
  if (!response) return { content: new Uint8Array(), more: false }
  const total = Number(response.headers.get('Content-Range')?.split('/')[1] ?? 0)
  return { content: new Uint8Array(await response.arrayBuffer()), more: total > bytes }
}
