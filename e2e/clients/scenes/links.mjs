// Who has come by a link.
import { assert, dialog, drop, names, open, row, state, toast, upload } from './hands.mjs'
import { check } from './looks.mjs'

// dropByLink sends files to where nothing is to be seen.
export async function dropByLink({ page, url, args, shot }) {
  await page.goto(url)
  await page.getByText('You may send files here, but not see what is there.').waitFor()
  await drop(page, args.paths)
  for (const path of args.sent) await state(page, path, 'done')
  await shot('link-drop')
  for (const name of ['Log in', 'Log out', 'New folder', 'Transfers']) assert.equal(await page.getByText(name, { exact: true }).count(), 0, name)
}

// dropPlainly does so without a script.
export async function dropPlainly({ page, url, args, shot }) {
  await page.goto(url)
  await page.setInputFiles('input[type=file]', args.paths)
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await page.getByText(args.sent[0]).waitFor()
  await shot('link-plain')
}
dropPlainly.context = { javaScriptEnabled: false }

// browseByLink sees a folder, and nothing that it may not do there.
export async function browseByLink({ page, url, args, shot }) {
  await page.goto(url)
  await row(page, 'b.txt').waitFor()
  assert.deepEqual(await names(page), ['deep', 'b.txt'])
  await shot('link-folder')
  for (const name of ['Log in', 'New folder', 'Choose files', 'Rename b.txt', 'Delete b.txt']) assert.equal(await page.getByText(name, { exact: true }).count(), 0, name)
  await row(page, 'b.txt').locator('td.name a').click()
  await page.getByText(args.content).waitFor()
  await page.keyboard.press('Escape')
  await row(page, 'deep').locator('td.name a').click()
  await row(page, 'c.txt').waitFor()
  await page.reload()
  await row(page, 'c.txt').waitFor()
  const [download] = await Promise.all([page.waitForEvent('download'), row(page, 'c.txt').getByRole('link', { name: 'Download c.txt' }).click()])
  assert.equal(download.suggestedFilename(), 'c.txt')
  const [archive] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: /zip/ }).first().click()])
  assert.equal(await archive.failure(), null)
}

// sendByLink sends files into a folder that it also sees, and opens one.
export async function sendByLink({ page, url, args }) {
  await page.goto(url)
  await row(page, 'b.txt').waitFor()
  await drop(page, args.paths)
  await state(page, args.sent[0], 'done')
  const address = await upload(page, args.sent[0]).locator('a.path').getAttribute('href')
  assert.equal(await page.evaluate(async (address) => (await fetch(address)).status, address), 200)
}

// share makes a link on the page, by which a stranger sends a file.
export async function share({ page, context, url, args, shot }) {
  await open(page, url)
  await page.getByLabel('Token').fill(args.token)
  await page.getByRole('button', { name: 'Log in' }).click()
  await row(page, 'in').getByRole('button', { name: 'Share in' }).click()
  await dialog(page).getByLabel('send files into it, and see nothing').check()
  await dialog(page).getByLabel('It is good for').selectOption('1 day')
  await dialog(page).getByLabel('For how many files at most').fill('1')
  await shot('share')
  await check(page, 'sharing')
  await dialog(page).getByRole('button', { name: 'Make the link' }).click()
  const address = await dialog(page).getByLabel('The link').inputValue()
  await shot('shared')
  await check(page, 'shared')
  await dialog(page).getByRole('button', { name: 'Copy it' }).click()
  await toast(page, 'The link is copied.')
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), address)

  const stranger = await context.browser().newContext()
  const theirs = await stranger.newPage()
  await theirs.goto(address)
  await theirs.getByText('You may send files here, but not see what is there.').waitFor()
  await drop(theirs, args.paths)
  await state(theirs, args.sent[0], 'done')
  await theirs.reload()
  await theirs.getByText('The link has been used as often as it may.').waitFor()
  await stranger.close()
}
