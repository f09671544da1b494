// What people do on the page, and what they see.
import assert from 'node:assert/strict'

export { assert }

// open opens the page and waits until it is there.
export async function open(page, url) {
  await page.goto(url)
  await page.waitForSelector('.listing[aria-busy=false], .login')
}

// drop drops files and folders of the disk, as a file manager would.
export async function drop(page, paths) {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: paths, dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop']) await session.send('Input.dispatchDragEvent', { type, x: 300, y: 400, data })
  await session.detach()
}

// upload is the row of an upload.
export const upload = (page, path) => page.locator(`.upload[data-path=${JSON.stringify(path)}]`)

// state waits until an upload is in a state.
export const state = (page, path, name) => page.waitForSelector(`.upload[data-path=${JSON.stringify(path)}][data-state=${name}]`)

// sent waits until at least so many bytes of an upload have gone.
export const sent = (page, path, bytes) =>
  page.waitForFunction(
    ([path, bytes]) => [...document.querySelectorAll('.upload')].some((row) => row.dataset.path === path && (row.querySelector('progress')?.value ?? 0) >= bytes),
    [path, bytes],
  )

export const total = (page, text) => page.getByRole('heading', { name: text, exact: true }).waitFor()

// row is that of a file or folder in the listing.
export const row = (page, name) => page.locator('.files tbody tr').filter({ has: page.locator('td.name').getByText(name, { exact: true }) })

export const names = (page) => page.locator('.files td.name a span').allInnerTexts()

export const toast = (page, text) => page.locator('.toast', { hasText: text }).waitFor()

export const dialog = (page) => page.locator('dialog[open]')
