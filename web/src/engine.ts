// Uppy, which moves the bytes: by tus, or by forms where there is no tus.
import Uppy, { type UppyFile } from '@uppy/core'
import Tus from '@uppy/tus'
import XHRUpload from '@uppy/xhr-upload'
import { faultOf, parseProblem, type Fault } from './faults'
import { address, folderURL, last, parent } from './paths'

// Sending is what the engine takes: a file and where it is to stand.
export interface Sending {
  id: string
  path: string
  file: File
}

// Arrived is what the server says of a stored file.
export interface Arrived {
  url?: string
  digest?: string
}

export interface Reports {
  progress(id: string, sent: number): void
  retrying(id: string): void
  done(id: string, arrived: Arrived): void
  failed(id: string, fault: Fault): void
}

export interface Engine {
  readonly resumable: boolean
  send(files: Sending[]): void
  pause(id: string, paused: boolean): void
  // drop forgets a file; what the server has of it goes too, unless it is done.
  drop(ids: string[]): void
}

type Meta = Record<string, string>
type File_ = UppyFile<Meta, Record<string, never>>

// atOnce leaves room among the six connections that browsers open to a server
// for the live view and for everything that is clicked.
const atOnce = 4

// oneRequest is up to which size a file is sent with the request that announces
// it: there is little that could be resumed.
const oneRequest = 1_000_000

// The last one is repeated by the queue for as long as the page is open.
const retryDelays = [0, 500, 1000, 2000, 4000, 8000]

const silent = { debug() {}, warn() {}, error() {} }

export function newEngine(useTus: boolean, reports: Reports): Engine {
  const sendings = new Map<string, Sending>()
  const uppy = new Uppy<Meta, Record<string, never>>({
    id: 'sluice',
    autoProceed: true,
    logger: silent,
    // Uppy would take names that differ in case alone for one.
    onBeforeFileAdded: (file) => ({ ...file, id: String(file.meta['id']), tus: { uploadDataDuringCreation: (file.size ?? 0) <= oneRequest } }) as File_,
  })
  if (useTus) {
    uppy.use(Tus, {
      endpoint: address('/tus/'),
      limit: atOnce,
      retryDelays,
      removeFingerprintOnSuccess: true,
      allowedMetaFields: ['relativePath', 'filetype', 'modified'],
      onShouldRetry(error, _attempt, _options, next) {
        const status = error.originalResponse?.getStatus() ?? 0
        // A name that is taken stays taken, and a full disk full.
        if (status === 507 || (status === 409 && error.originalRequest?.getMethod() === 'POST')) return false
        const id = idOf(error.originalRequest)
        const again = next(error)
        if (again && id) reports.retrying(id)
        return again
      },
      onBeforeRequest(request, file) {
        requests.set(request, file.id)
      },
    })
  } else {
    uppy.use(XHRUpload, { endpoint: folderURL(''), limit: atOnce, fieldName: 'file', timeout: 0, allowedMetaFields: [], headers: { Accept: 'application/json' }, shouldRetry: () => false })
  }
  uppy.on('upload-progress', (file, progress) => {
    if (file) reports.progress(file.id, Number(progress.bytesUploaded))
  })
  uppy.on('upload-success', (file, response) => {
    if (file) reports.done(file.id, useTus ? arrivedByTus(response.body) : arrivedByForm(response.body))
  })
  uppy.on('upload-error', (file, _error, response) => {
    if (file) reports.failed(file.id, faultIn(response))
  })
  return {
    resumable: useTus,
    send(files) {
      for (const one of files) sendings.set(one.id, one)
      uppy.addFiles(
        files.map(({ id, path, file }) => ({
          name: last(path),
          type: file.type || 'application/octet-stream',
          data: file,
          source: 'page',
          meta: { id, relativePath: path, filetype: file.type, modified: String(file.lastModified) },
        })),
      )
      if (!useTus) for (const { id, path } of files) uppy.setFileState(id, { xhrUpload: { endpoint: folderURL(parent(path)) } } as Partial<File_>)
    },
    pause(id, paused) {
      const file = uppy.getState().files[id]
      if (file && Boolean(file.isPaused) !== paused) uppy.pauseResume(id)
    },
    drop(ids) {
      for (const id of ids) sendings.delete(id)
      uppy.removeFiles(ids.filter((id) => id in uppy.getState().files))
    },
  }
}

// requests tells whose a request of tus-js-client is.
const requests = new WeakMap<object, string>()
const idOf = (request: object | null | undefined) => (request ? requests.get(request) : undefined)

function arrivedByTus(body: unknown): Arrived {
  const xhr = (body as { xhr?: XMLHttpRequest } | undefined)?.xhr
  return { url: xhr?.getResponseHeader('Content-Location') ?? undefined, digest: xhr?.getResponseHeader('Repr-Digest') ?? undefined }
}

function arrivedByForm(body: unknown): Arrived {
  const file = (body as { files?: { url?: string; digest?: string }[] } | undefined)?.files?.[0]
  return { url: file?.url, digest: file?.digest }
}

// faultIn reads the answer behind an error: tus has it in a body, forms are it.
function faultIn(response: unknown): Fault {
  const xhr = (response as { body?: { xhr?: XMLHttpRequest } } | undefined)?.body?.xhr ?? (response instanceof XMLHttpRequest ? response : undefined)
  return faultOf(xhr?.status ?? 0, parseProblem(xhr && (xhr.responseType === '' || xhr.responseType === 'text') ? xhr.responseText : ''))
}
