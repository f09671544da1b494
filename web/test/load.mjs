// Loads a module of the page as the browser gets it, with others in the place of
// some that it imports.
import { build } from 'esbuild'

globalThis.document ??= { documentElement: { dataset: {} } }

export async function load(path, instead = {}) {
  const { outputFiles } = await build({
    absWorkingDir: new URL('../src/', import.meta.url).pathname,
    entryPoints: [path],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: [
      {
        name: 'instead',
        setup(build) {
          build.onResolve({ filter: /^\.\// }, ({ path }) => (path in instead ? { path, namespace: 'instead' } : undefined))
          build.onLoad({ filter: /.*/, namespace: 'instead' }, ({ path }) => ({ contents: instead[path] }))
        },
      },
    ],
  })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)
}
