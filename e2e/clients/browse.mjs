// Uploads a file with tus-js-client on a page in Chromium, as a user would who
// chooses it there, and prints a line of JSON for each answer. Exits with 1 when
// the upload fails.
import { chromium } from 'playwright-core'
import { browser, fail, file, page, report, settings } from './settings.mjs'

const instance = await chromium.launch({
  executablePath: browser,
  args: [
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
})
try {
  const tab = await instance.newPage()
  await tab.exposeFunction('report', report)
  await tab.goto(page)
  await tab.setInputFiles('#file', file)
  await tab.evaluate((settings) => window.upload(settings), settings)
} catch (error) {
  fail(error)
} finally {
  await instance.close()
}
