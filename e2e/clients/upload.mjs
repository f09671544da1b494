// Uploads a file with tus-js-client and prints a line of JSON for each answer.
// Exits with 1 when the upload fails.
import { createReadStream } from 'node:fs'
import { PassThrough } from 'node:stream'
import tus from 'tus-js-client'
import { session } from './session.mjs'
import { fail, file, report, settings, state } from './settings.mjs'

const stream = createReadStream(file)
// Of a plain stream the client doesn't know the length either.
const source = settings.deferLength ? stream.pipe(new PassThrough()) : stream

const upload = new tus.Upload(source, {
  ...session(settings, report),
  ...(state && { urlStorage: new tus.FileUrlStorage(state) }),
  onError: fail,
})

if (state) {
  const [previous] = await upload.findPreviousUploads()
  if (previous) upload.resumeFromPreviousUpload(previous)
}
upload.start()
