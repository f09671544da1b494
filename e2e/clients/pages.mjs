// Plays scenes on the server's page, all in one Chromium, each in a context of
// its own. Orders come as lines of JSON: {id, play, url, args} begins a scene,
// {id, answer} answers what one has asked. What goes back is {id, ask, value},
// and in the end {id, done} or {id, error}.
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import * as files from './scenes/files.mjs'
import * as hostile from './scenes/hostile.mjs'
import * as links from './scenes/links.mjs'
import * as looks from './scenes/looks.mjs'
import * as uploads from './scenes/uploads.mjs'

const { values } = parseArgs({ options: { browser: { type: 'string' }, shots: { type: 'string' } } })
const scenes = { ...files, ...hostile, ...links, ...looks, ...uploads }
const say = (message) => console.log(JSON.stringify(message))

const browser = await chromium.launch({
  executablePath: values.browser,
  args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
})
const waiting = new Map()

async function play({ id, play, url, args }) {
  const faults = []
  const ask = (what, value = '') =>
    new Promise((resolve) => {
      waiting.set(id, resolve)
      say({ id, ask: what, value: String(value) })
    })
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
    acceptDownloads: true,
    reducedMotion: 'reduce', // or colours would be seen on their way
    ...scenes[play]?.context,
  })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  watch(page, new URL(url).host, faults)
  const shot = async (name) => {
    if (values.shots) await page.screenshot({ path: `${values.shots}/${name}.png` })
  }
  try {
    await scenes[play]({ page, context, url, args, ask, shot, faults })
    if (faults.length > 0) throw new Error(faults.join('\n'))
    say({ id, done: true })
  } catch (error) {
    await shot(`failed-${play}`).catch(() => undefined)
    say({ id, error: `${error.stack}\n${faults.join('\n')}\nat ${page.url()}: ${await page.innerText('body').catch(() => '')}` })
  } finally {
    await context.close()
  }
}

// watch notes what must never happen on the page: a script of somebody else, an
// error, a request to another host, something that the policy has to stop.
function watch(page, host, faults) {
  page.on('dialog', (dialog) => {
    if (dialog.type() !== 'beforeunload') faults.push(`a script has run: ${dialog.message()}`)
    return dialog.accept()
  })
  page.on('pageerror', (error) => faults.push(`error: ${error.stack}`))
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) faults.push(message.text())
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && url.host !== host) faults.push(`a request goes to ${url}`)
  })
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  if (message.play) void play(message)
  else waiting.get(message.id)?.(message.answer)
}
await browser.close()
