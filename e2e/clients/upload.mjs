// Uploads a file with tus-js-client and prints a line of JSON for each answer.
// Exits with 1 when the upload fails.
import { createReadStream } from 'node:fs'
import { PassThrough } from 'node:stream'
import { parseArgs } from 'node:util'
import tus from 'tus-js-client'

const { values: options } = parseArgs({
  options: {
    endpoint: { type: 'string' },
    file: { type: 'string' },
    filename: { type: 'string' },
    'chunk-size': { type: 'string' }, // bytes of each PATCH; all in one without it
    state: { type: 'string' }, // file that remembers uploads, for the next run to resume them
    retry: { type: 'boolean', default: false }, // go on by itself after an error
    'data-at-creation': { type: 'boolean', default: false },
    parallel: { type: 'string', default: '1' }, // parts that are uploaded at once and then joined
    'defer-length': { type: 'boolean', default: false },
  },
})

const file = createReadStream(options.file)
// Of a plain stream the client doesn't know the length either.
const source = options['defer-length'] ? file.pipe(new PassThrough()) : file

const upload = new tus.Upload(source, {
  endpoint: options.endpoint,
  metadata: { filename: options.filename },
  chunkSize: options['chunk-size'] ? Number(options['chunk-size']) : Number.POSITIVE_INFINITY,
  retryDelays: options.retry ? [0, 100, 500, 1000] : null,
  uploadDataDuringCreation: options['data-at-creation'],
  uploadLengthDeferred: options['defer-length'],
  parallelUploads: Number(options.parallel),
  ...(options.state && { urlStorage: new tus.FileUrlStorage(options.state) }),
  onAfterResponse(request, response) {
    const line = {
      method: request.getMethod(),
      status: response.getStatus(),
      from: Number(request.getHeader('Upload-Offset') ?? 0),
      offset: Number(response.getHeader('Upload-Offset') ?? 0),
      contentLocation: response.getHeader('Content-Location') ?? '',
    }
    console.log(JSON.stringify(line))
  },
  onError(error) {
    console.error(error.message)
    process.exitCode = 1
  },
})

if (options.state) {
  const [previous] = await upload.findPreviousUploads()
  if (previous) upload.resumeFromPreviousUpload(previous)
}
upload.start()
