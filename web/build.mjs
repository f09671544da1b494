// Builds the page into dist: assets whose names change with their content, each
// beside its compressed forms, and a manifest that names them. Fails when the
// first load would grow beyond its limit.
import { createHash } from 'node:crypto'
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const limit = 300_000 // bytes of all that the first load takes, compressed by gzip
const dist = new URL('dist/', import.meta.url)

await mkdir(dist, { recursive: true })
for (const name of await readdir(dist)) {
  if (name !== 'README') await rm(new URL(name, dist), { recursive: true })
}

const result = await build({
  absWorkingDir: new URL('.', import.meta.url).pathname,
  entryPoints: { main: 'src/main.tsx', early: 'src/early.ts', style: 'src/style.css' },
  outdir: 'dist',
  entryNames: '[name]-[hash]',
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'eof',
  metafile: true,
})

const icon = await readFile(new URL('src/icon.svg', import.meta.url))
const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`
await writeFile(new URL(iconName, dist), icon)

const names = [...Object.keys(result.metafile.outputs).map((path) => basename(path)), iconName]
const named = (prefix) => names.find((name) => name.startsWith(prefix))
await writeFile(
  new URL('manifest.json', dist),
  JSON.stringify({ script: named('main-'), early: named('early-'), style: named('style-'), icon: iconName }),
)

let total = 0
for (const name of names) {
  const content = await readFile(new URL(name, dist))
  const gz = gzipSync(content, { level: 9 })
  const br = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } })
  total += gz.length
  console.log(`${name.padEnd(24)} ${String(content.length).padStart(8)} ${String(gz.length).padStart(8)} gzip ${String(br.length).padStart(8)} br`)
  if (extname(name) === '') throw new Error(`${name} has no type`)
  await writeFile(new URL(`${name}.gz`, dist), gz)
  await writeFile(new URL(`${name}.br`, dist), br)
}
console.log(`${'first load'.padEnd(24)} ${' '.repeat(8)} ${String(total).padStart(8)} gzip`)
if (total > limit) throw new Error(`the first load takes ${total} bytes, more than ${limit}`)
