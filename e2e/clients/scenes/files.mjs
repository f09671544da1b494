// Files that are there.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { assert, dialog, names, open, row, toast } from './hands.mjs'

export async function manage({ page, url, shot, args }) {
  await open(page, url)
  await row(page, 'b.txt').waitFor()
  await shot('listing')

  await page.getByRole('button', { name: 'New folder' }).click()
  await page.getByLabel('Name of the folder').fill('a/..')
  await page.keyboard.press('Enter')
  await dialog(page).getByText('A name can’t be empty').waitFor()
  await page.getByLabel('Name of the folder').fill('new')
  await page.keyboard.press('Enter')
  await row(page, 'new').waitFor()

  const rename = async (name, to) => {
    await row(page, name).getByRole('button', { name: `Rename ${name}` }).click()
    await page.getByLabel('New name').fill(to)
    await page.keyboard.press('Enter')
  }
  await rename('b.txt', 'renamed.txt')
  await toast(page, 'It is called “renamed.txt” now.')
  await row(page, 'renamed.txt').waitFor()
  await rename('renamed.txt', 'c.txt')
  await dialog(page).getByText('Something called “c.txt” is there already.').waitFor()
  await shot('rename-taken')
  await dialog(page).getByRole('button', { name: 'Replace' }).click()
  await row(page, 'renamed.txt').waitFor({ state: 'detached' })
  await rename('c.txt', 'new/moved.txt')
  await row(page, 'c.txt').waitFor({ state: 'detached' })

  const remove = async (name) => {
    await row(page, name).getByRole('button', { name: `Delete ${name}` }).click()
    await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click()
  }
  await remove('new')
  await toast(page, 'The folder is not empty.')
  await remove('10.log')
  await row(page, '10.log').waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Size', exact: true }).click() // the largest first
  assert.deepEqual(await names(page), ['folder', 'new', 'small', 'picture.png', '9.log'])
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  assert.deepEqual(await names(page), ['folder', 'new', '9.log', 'picture.png', 'small'])
  await page.getByRole('searchbox').fill('LOG')
  assert.deepEqual(await names(page), ['9.log'])
  await page.getByRole('searchbox').fill('none such')
  await page.getByText('Nothing here has “none such” in its name.').waitFor()
  await page.getByRole('searchbox').fill('')

  await row(page, 'folder').locator('td.name a').click()
  await row(page, 'deep').waitFor()
  assert.equal(await page.title(), '/folder – sluice')
  await page.goBack()
  await row(page, '9.log').waitFor()
  const saved = async (click) => {
    const [download] = await Promise.all([page.waitForEvent('download'), click()])
    return [download.suggestedFilename(), await readFile(await download.path())]
  }
  const [zip, archive] = await saved(() => page.getByRole('link', { name: 'Download folder as zip' }).click())
  assert.equal(zip, 'files.zip')
  assert.ok(archive.includes('files/folder/deep/in.txt') && archive.includes('hello'))
  const [name, content] = await saved(() => row(page, '9.log').getByRole('link', { name: 'Download 9.log' }).click())
  assert.equal(name, '9.log')
  assert.equal(createHash('sha256').update(content).digest('hex'), args.digest)
}

export async function previews({ page, url, shot }) {
  await open(page, url)
  const show = async (name) => {
    await row(page, name).locator('td.name a').click()
    return dialog(page)
  }
  const close = async () => {
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
  }
  await (await show('picture.png')).locator('img').evaluate((image) => image.decode())
  await shot('preview-image')
  await close()
  assert.equal(await (await show('9.log')).locator('pre').innerText(), 'nine nine nine')
  await shot('preview-text')
  await close()
  await (await show('small')).getByText('There is no preview of this kind of file.').waitFor()
  await close()
}

export async function watchTransfers({ page, url, shot, ask }) {
  await open(page, url)
  await page.getByRole('link', { name: 'Transfers' }).click()
  await page.getByText('Nothing is moving right now').waitFor()
  await shot('transfers-empty')
  await ask('send')
  const running = page.getByRole('region', { name: 'Running now' })
  await running.getByText('slow.bin').waitFor()
  await page.waitForFunction(() => document.querySelector('.sparkline polyline')?.getAttribute('points')?.split(' ').length > 3)
  await shot('transfers')
  await page.getByRole('button', { name: 'Switch to dark colours' }).click()
  await shot('transfers-dark')
  await running.getByRole('button', { name: 'Stop slow.bin' }).click()
  await page.getByRole('region', { name: 'Ended lately' }).getByText('stopped').waitFor()
  await page.goBack()
  await page.waitForSelector('.listing')
}

export async function logIn({ page, context, url, args, shot, faults }) {
  await open(page, url)
  await shot('login')
  await page.getByLabel('Token').fill('wrong')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByText('This token isn’t right').waitFor()
  await shot('login-wrong')
  await page.getByLabel('Token').fill(args.token)
  await page.getByRole('button', { name: 'Log in' }).click()
  await row(page, 'seen.txt').waitFor()
  await page.getByText('Logged in as alice').waitFor()
  assert.equal(await page.getByRole('button', { name: /Delete/ }).count(), 0)
  await page.reload()
  await row(page, 'seen.txt').waitFor()
  // A folder that is opened without a session asks for one, and shows itself then.
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByLabel('Token').waitFor()
  await page.goto(`${url}files/deep/`)
  await page.getByLabel('Token').fill(args.token)
  await page.getByRole('button', { name: 'Log in' }).click()
  await row(page, 'in.txt').waitFor()
  assert.equal((await context.cookies()).length, 1)
  assert.deepEqual(faults, [])
}
