// Names, files and pages that mean harm.
import { assert, dialog, drop, open, row, state, toast } from './hands.mjs'

// hostileNames are shown everywhere that names are shown.
export async function hostileNames({ page, url, args, shot }) {
  await open(page, url)
  await drop(page, args.paths)
  for (const name of args.names) await state(page, name, 'done')
  await page.reload()
  for (const name of args.shown) await row(page, name).waitFor()
  await shot('hostile')
  const [name] = args.names
  await row(page, name).getByRole('button', { name: /Rename/ }).click()
  await page.getByLabel('New name').fill(args.names[1])
  await page.keyboard.press('Enter')
  await dialog(page).getByText(/is there already/).waitFor()
  await page.keyboard.press('Escape')
  await row(page, name).getByRole('button', { name: /Delete/ }).click()
  await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click()
  await toast(page, `“${name}” is deleted.`)
  // Below a folder whose name closes what stands around it.
  await page.goto(`${url}files/${encodeURIComponent('<script>alert(1)<')}/${encodeURIComponent('script>')}/`)
  await row(page, 'in.txt').waitFor()
  // In the words of a refusal, for people and for scripts.
  for (const path of args.missing) {
    await page.goto(url + path)
    await page.getByText('There is nothing').first().waitFor()
  }
  await shot('missing')
  await page.goto(`${url}files/#transfers`)
  await page.getByRole('region', { name: 'Ended lately' }).getByText(args.names[1], { exact: true }).first().waitFor()
}

// storedScripts opens what somebody has stored, in every way that there is.
export async function storedScripts({ page, context, url, args, faults }) {
  await open(page, url)
  for (const name of args.names) {
    await row(page, name).locator('td.name a').click()
    await dialog(page).locator('.stage').waitFor()
    await page.waitForLoadState('networkidle')
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    const tab = await context.newPage()
    tab.on('dialog', () => assert.fail(`${name} has run`))
    // What is saved rather than shown ends the navigation.
    const answer = await tab.goto(`${url}files/${encodeURIComponent(name)}`).catch((error) => assert.match(error.message, /Download is starting|ERR_ABORTED/))
    if (answer) assert.equal(answer.headers()['content-security-policy'], "sandbox; default-src 'none'")
    assert.equal(await tab.evaluate(() => window.harm), undefined)
    await tab.close()
    // Whoever got an element onto the page would take the script from there, if the
    // policy let them.
    assert.equal(
      await page.evaluate(
        (source) =>
          new Promise((resolve) => {
            const script = document.createElement('script')
            script.src = source
            script.onload = script.onerror = () => resolve(window.harm)
            document.head.append(script)
          }),
        `${url}files/${encodeURIComponent(name)}`,
      ),
      undefined,
    )
  }
  const stopped = faults.filter((fault) => fault.includes('/files/') && fault.includes('Content Security Policy'))
  assert.equal(stopped.length, args.names.length)
  faults.splice(0, faults.length, ...faults.filter((fault) => !stopped.includes(fault)))
}

// foreignForm is a page of somebody else that posts a form here.
export async function foreignForm({ page, args, faults }) {
  await page.goto(args.page)
  const [answer] = await Promise.all([page.waitForNavigation(), page.click('button')])
  assert.equal(answer.status(), 403)
  await page.getByText('Pages of this origin may not change anything here.').waitFor()
  faults.length = 0 // the page is of another host
}

// foreignTus uploads from a page of an origin that may, and reads all answers.
export async function foreignTus({ page, url, args, faults }) {
  const answers = []
  await page.exposeFunction('report', (answer) => answers.push(answer))
  page.on('response', async (response) => {
    if (!response.url().startsWith(url)) return
    const headers = (await response.headersArray()).filter(({ name }) => name.toLowerCase() === 'access-control-allow-origin')
    if (headers.length !== 1) faults.push(`${response.request().method()}: ${headers.length} allowed origins`)
  })
  await page.goto(args.page)
  await page.setInputFiles('#file', args.paths[0])
  await page.evaluate((settings) => window.upload(settings), { endpoint: `${url}tus/`, filename: args.name })
  assert.ok(answers.some(({ method, contentLocation }) => method === 'PATCH' && contentLocation !== ''))
  faults.splice(0, faults.length, ...faults.filter((fault) => !fault.startsWith('a request goes to')))
}
