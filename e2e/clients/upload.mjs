// Uploads a file with tus-js-client and prints a line of JSON for each answer.
// Exits with 1 when the upload fails.
import { createReadStream } from 'node:fs'
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
  },
})

const upload = new tus.Upload(createReadStream(options.file), {
  endpoint: options.endpoint,
  metadata: { filename: options.filename },
  chunkSize: options['chunk-size'] ? Number(options['chunk-size']) : Number.POSITIVE_INFINITY,
  retryDelays: options.retry ? [0, 100, 500, 1000] : null,
  uploadDataDuringCreation: options['data-at-creation'],
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
