// Files on their way in.
import { assert, dialog, drop, open, row, sent, state, toast, total, upload } from './hands.mjs'

export async function dropFiles({ page, url, args, shot, context }) {
  context.setDefaultTimeout(600_000)
  await open(page, url)
  assert.equal(await page.locator('.blank h2').innerText(), 'Nothing here yet')
  await shot('empty')
  await drop(page, args.paths)
  await sent(page, args.names[0], 1)
  await shot('uploading')
  await total(page, '3 of 3 files')
  for (const name of args.names) {
    assert.match(await upload(page, name).locator('.digest').innerText(), /^crc64nvme=:.{11}=:$/)
    await row(page, name).waitFor()
  }
  await upload(page, args.names[0]).getByRole('button', { name: /Copy the link/ }).click()
  await toast(page, 'The link is copied.')
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), new URL(`/files/${encodeURIComponent(args.names[0])}`, url).href)
  await shot('uploaded')
}

export async function dropFolder({ page, url, args, shot }) {
  await open(page, url)
  await drop(page, args.paths)
  await Promise.all([toast(page, 'empty folders are made'), total(page, `${args.files} of ${args.files} files`)])
  await row(page, args.folder).locator('a').first().click()
  await row(page, 'empty').waitFor()
  await shot('folder')
}

export async function pauseAndResume({ page, url, args, shot, ask }) {
  await open(page, url)
  await drop(page, args.paths)
  await sent(page, args.name, 1_000_000)
  await upload(page, args.name).getByRole('button', { name: `Pause ${args.name}` }).click()
  await state(page, args.name, 'paused')
  await shot('paused')
  await ask('still')
  await upload(page, args.name).getByRole('button', { name: `Go on with ${args.name}` }).click()
  await sent(page, args.name, 6_000_000)
  await page.getByRole('button', { name: 'Pause all' }).click()
  await state(page, args.name, 'paused')
  await page.getByRole('button', { name: 'Go on', exact: true }).click()
  await state(page, args.name, 'done')
}

export async function cancel({ page, url, args, ask }) {
  await open(page, url)
  await drop(page, args.paths)
  await sent(page, args.name, 1_000_000)
  await page.getByRole('button', { name: `Cancel ${args.name}` }).click()
  await upload(page, args.name).waitFor({ state: 'detached' })
  await ask('gone')
}

// outlive goes on by itself, whatever happens to the server or the network.
export async function outlive({ page, url, args, ask, shot }) {
  await open(page, url)
  await drop(page, args.paths)
  await sent(page, args.name, 4_000_000)
  await ask('break')
  await state(page, args.name, 'retrying')
  await shot(args.shot)
  await ask('mend')
  await state(page, args.name, 'done')
}

export async function reload({ page, url, args, shot, ask }) {
  await open(page, url)
  await drop(page, args.paths)
  await sent(page, args.name, 4_000_000)
  await page.reload()
  const left = page.locator('.interrupted')
  await left.getByText(/[1-9][0-9]? % there/).waitFor()
  assert.match(await left.innerText(), new RegExp(`An upload was interrupted[^]*${args.name}`))
  await shot('interrupted')
  await ask('count')
  // By the chooser this time, and from another folder.
  await open(page, `${url}files/other/`)
  await page.locator('#choose-files').setInputFiles(args.paths[0])
  await state(page, args.name, 'done')
  await left.waitFor({ state: 'detached' })
}

export async function tooLarge({ page, url, args, shot, faults }) {
  page.on('request', (request) => {
    if (['POST', 'PUT', 'PATCH'].includes(request.method()) && request.url().includes('/tus/')) faults.push(`sent: ${request.method()} ${request.url()}`)
  })
  await open(page, url)
  assert.match(await page.locator('.drop').innerText(), /Up to 1\.0 MB a file/)
  await drop(page, args.paths)
  await state(page, args.name, 'failed')
  assert.match(await upload(page, args.name).locator('.fault').innerText(), /It has 2\.0 MB; this server takes at most 1\.0 MB a file\. Nothing was sent\./)
  await shot('too-large')
}

export async function diskFull({ page, url, args, shot, ask }) {
  await open(page, url)
  await drop(page, args.paths)
  await state(page, args.name, 'failed')
  assert.match(await upload(page, args.name).locator('.fault').innerText(), /The server’s disk is full\./)
  await shot('disk-full')
  await ask('room')
  await page.getByRole('button', { name: `Try ${args.name} again` }).click()
  await state(page, args.name, 'done')
}

// conflicts: a page that knows of a file asks; one that doesn't is told by the server.
export async function conflicts({ page, url, args, shot }) {
  await open(page, url)
  const answer = async (name) => {
    await drop(page, args.paths)
    await dialog(page).getByRole('button', { name, exact: true }).click()
    await dialog(page).waitFor({ state: 'detached' })
  }
  await answer('Skip')
  assert.equal(await page.locator('.upload').count(), 0)
  await answer('Keep both')
  await state(page, args.beside, 'done')
  await drop(page, args.paths)
  await dialog(page).waitFor()
  await shot('conflict')
  await dialog(page).getByRole('button', { name: 'Replace' }).click()
  await state(page, args.name, 'done')
}

export async function rejected({ page, url, args, shot, ask }) {
  await open(page, url)
  await page.route('**/files/', (route) => (route.request().resourceType() === 'fetch' ? route.fulfill({ json: { folder: '', entries: [], more: false } }) : route.continue()))
  await page.reload()
  await page.waitForSelector('.listing[aria-busy=false]')
  await ask('put')
  await drop(page, args.paths)
  await state(page, args.name, 'failed')
  assert.match(await upload(page, args.name).locator('.fault').innerText(), /this server doesn’t replace files/)
  await shot('rejected')
  await page.getByRole('button', { name: 'Upload under another name' }).click()
  await state(page, args.beside, 'done')
}

// forms are what is left where there is no tus.
export async function forms({ page, url, args }) {
  await page.route('**/api/v1/info', async (route) => {
    const answer = await route.fetch()
    const info = await answer.json()
    await route.fulfill({ response: answer, json: { ...info, protocols: info.protocols.filter((name) => name !== 'tus') } })
  })
  const methods = new Set()
  page.on('request', (request) => methods.add(request.method()))
  await open(page, url)
  await drop(page, args.paths)
  await state(page, args.name, 'done')
  assert.match(await upload(page, args.name).locator('.digest').innerText(), /^crc64nvme=/)
  assert.ok(!methods.has('PATCH'))
}

// many files don't freeze the page.
export async function thousands({ page, context, url, args }) {
  context.setDefaultTimeout(600_000)
  await open(page, url)
  await page.evaluate(() => {
    window.slowest = 0
    let before = performance.now()
    setInterval(() => {
      const now = performance.now()
      window.slowest = Math.max(window.slowest, now - before)
      before = now
    }, 50)
  })
  await drop(page, args.paths)
  await total(page, `${args.files.toLocaleString('en')} of ${args.files.toLocaleString('en')} files`)
  assert.ok((await page.locator('.upload').count()) <= 130)
  return await page.evaluate(() => window.slowest)
}

// paste takes files from the clipboard.
export async function paste({ page, url, args }) {
  await open(page, url)
  await page.evaluate(([name, text]) => {
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File([text], name, { type: 'text/plain' }))
    document.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, [args.name, args.text])
  await state(page, args.name, 'done')
  await row(page, args.name).waitFor()
}

// rate tells how long one file takes, in ms: on the page, and by nothing but one
// request of the same browser.
export async function rate({ page, context, url, args, ask }) {
  context.setDefaultTimeout(600_000)
  await open(page, url)
  await ask('begin')
  await page.evaluate(() => {
    const watch = new MutationObserver(() => {
      const row = document.querySelector('.upload')
      if (row) window.begun ??= performance.now()
      if (row?.dataset.state === 'done') window.ended ??= performance.now()
    })
    watch.observe(document.body, { subtree: true, childList: true, attributes: true })
  })
  await drop(page, args.paths)
  await state(page, args.name, 'done')
  await ask('took', await page.evaluate(() => window.ended - window.begun))
  const bare = await page.evaluateHandle(() => Object.assign(document.createElement('input'), { type: 'file' }))
  await bare.setInputFiles(args.paths)
  await ask('bare', await bare.evaluate(async ({ files: [file] }) => {
    const begun = performance.now()
    const answer = await fetch('/files/bare.bin', { method: 'PUT', body: file.slice() })
    if (!answer.ok) throw new Error(`${answer.status}`)
    return performance.now() - begun
  }))
}
