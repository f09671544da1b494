import { render } from 'preact'
import { App } from './app'
import { interrupted } from './interrupted'
import { parent } from './paths'
import { session } from './session'
import { uploads } from './uploads'

// What has arrived shows in the folder, but not more often than it can be read.
let refresh: ReturnType<typeof setTimeout> | undefined
uploads.onDone = (upload) => {
  if (refresh || !(parent(upload.path) === session.folder || upload.path.startsWith(session.folder))) return
  refresh = setTimeout(() => {
    refresh = undefined
    void session.load()
  }, 2000)
}

addEventListener('beforeunload', (event) => {
  if (uploads.busy) event.preventDefault()
})

await session.start()
const app = document.getElementById('app')
if (app) {
  app.replaceChildren()
  render(<App />, app)
}
void interrupted.load()
