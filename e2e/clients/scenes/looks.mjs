// How the page looks and is used: dark, narrow, by keyboard, read aloud, without scripts.
import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'
import { assert, dialog, drop, open, row, state, upload } from './hands.mjs'

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

// check fails for everything that axe finds serious.
export async function check(page, what) {
  const frame = page.mainFrame()
  const { violations } = await frame.evaluate(`(() => { ${axeSource}; return axe.run(document, { resultTypes: ['violations'] }) })()`)
  const bad = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  assert.deepEqual(bad.map(({ id, nodes }) => `${what}: ${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`), [])
}

export async function accessible({ page, url, args, shot }) {
  await open(page, url)
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: scheme })
    await check(page, `${scheme} listing`)
    await row(page, '9.log').locator('td.name a').click()
    await dialog(page).locator('pre').waitFor()
    await check(page, `${scheme} preview`)
    await page.keyboard.press('Escape')
    await row(page, '9.log').getByRole('button', { name: 'Rename 9.log' }).click()
    await check(page, `${scheme} rename`)
    await page.keyboard.press('Escape')
    if (scheme === 'light') {
      await drop(page, args.paths)
      await state(page, args.name, 'done')
      await state(page, args.refused, 'failed')
    }
    await check(page, `${scheme} uploads`)
    if (scheme === 'light') {
      await page.emulateMedia({ colorScheme: 'dark' })
      await check(page, 'dark uploads')
      await shot('dark')
      await page.emulateMedia({ colorScheme: scheme })
    }
    await page.goto(`${url}files/#transfers`)
    await page.getByText('Ended lately').waitFor()
    await check(page, `${scheme} transfers`)
    await page.goto(`${url}files/missing/`)
    await check(page, `${scheme} missing`)
    await page.goto(url)
    await page.waitForSelector('.listing[aria-busy=false]')
  }
}

export async function accessibleLogin({ page, url }) {
  await open(page, url)
  await check(page, 'login')
}

// dark follows the system, and what was chosen stays.
export async function dark({ page, url }) {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  await page.emulateMedia({ colorScheme: 'light' })
  await open(page, url)
  const light = await ground()
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await ground()
  assert.notEqual(light, dark)
  await page.getByRole('button', { name: 'Switch to light colours' }).click()
  assert.equal(await ground(), light)
  await page.reload()
  assert.equal(await ground(), light)
}

export async function phone({ page, url, args, shot }) {
  await page.setViewportSize({ width: 400, height: 800 })
  await open(page, url)
  const fits = async (what) => {
    const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
    assert.ok(inner <= outer, `${what}: ${inner} pixels in a window of ${outer}`)
  }
  await fits('listing')
  await shot('phone')
  await page.locator('#choose-files').setInputFiles(args.paths)
  await state(page, args.name, 'done')
  await fits('uploads')
  await page.evaluate(() => scrollTo(0, 0))
  await shot('phone-uploads')
  await row(page, '9.log').getByRole('button', { name: 'What to do with 9.log' }).click()
  await dialog(page).getByRole('button', { name: 'Rename 9.log' }).waitFor()
  await fits('choices')
  await shot('phone-choices')
  await page.keyboard.press('Escape')
  await page.goto(`${url}files/#transfers`)
  await page.getByText('Ended lately').waitFor()
  await fits('transfers')
  await shot('phone-transfers')
}

// keyboard does everything without a pointer.
export async function keyboard({ page, url, args }) {
  await open(page, url)
  const reach = async (name) => {
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab')
      const focused = await page.evaluate(() => {
        const element = document.activeElement
        const box = element.getBoundingClientRect()
        return { name: element.getAttribute('aria-label') || element.innerText || element.placeholder || '', seen: box.width > 1 && getComputedStyle(element).outlineStyle !== 'none' }
      })
      assert.ok(focused.seen, `the focus isn’t seen on “${focused.name}”`)
      if (focused.name.trim() === name) return
    }
    assert.fail(`“${name}” isn’t reached by Tab`)
  }
  await reach('Choose files')
  let chooser
  for (let i = 0; i < 5 && !chooser; i++) {
    const opens = page.waitForEvent('filechooser', { timeout: 5000 }).catch(() => undefined)
    await page.keyboard.press('Enter')
    chooser = await opens
  }
  assert.ok(chooser, 'Enter opens no chooser')
  await chooser.setFiles(args.paths)
  await state(page, args.name, 'done')
  await page.reload()
  await row(page, args.name).waitFor()
  await reach(`Rename ${args.name}`)
  await page.keyboard.press('Enter')
  await dialog(page).locator('input:focus').waitFor()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('by keyboard')
  await page.keyboard.press('Enter')
  await row(page, 'by keyboard').waitFor()
  await page.reload()
  await row(page, 'by keyboard').waitFor()
  await reach('Delete by keyboard')
  await page.keyboard.press('Space')
  await dialog(page).waitFor()
  // The focus stays inside, goes back when it closes.
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Delete by keyboard')
  await page.keyboard.press('Space')
  await dialog(page).waitFor()
  await page.keyboard.press('Enter')
  await row(page, 'by keyboard').waitFor({ state: 'detached' })
}

export async function withoutScripts({ page, url, args, shot }) {
  await page.goto(url)
  await page.setInputFiles('input[type=file]', args.paths)
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await page.getByRole('link', { name: args.name }).waitFor()
  await shot('plain')
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: args.name }).click()])
  assert.equal(download.suggestedFilename(), args.name)
  await page.getByRole('link', { name: 'folder/' }).click()
  await page.getByRole('link', { name: 'All files' }).click()
  await page.getByRole('link', { name: 'zip' }).waitFor()
}
withoutScripts.context = { javaScriptEnabled: false }
