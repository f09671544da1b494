// The command line of the programs that upload a file.
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    endpoint: { type: 'string' },
    file: { type: 'string' },
    filename: { type: 'string' },
    'chunk-size': { type: 'string' }, // bytes of each PATCH; all in one without it
    state: { type: 'string' }, // file that remembers uploads, for the next run to resume them
    retry: { type: 'boolean', default: false }, // go on by itself after an error
    'data-at-creation': { type: 'boolean', default: false },
    parallel: { type: 'string', default: '1' }, // parts that are uploaded at once and then joined
    'defer-length': { type: 'boolean', default: false },
    page: { type: 'string' }, // of the browser
    browser: { type: 'string' }, // path of Chromium
  },
})

export const { file, state, page, browser } = values

export const settings = {
  endpoint: values.endpoint,
  filename: values.filename,
  ...(values['chunk-size'] && { chunkSize: Number(values['chunk-size']) }),
  retry: values.retry,
  dataAtCreation: values['data-at-creation'],
  parallel: Number(values.parallel),
  deferLength: values['defer-length'],
}

// report prints an exchange as a line of JSON.
export const report = (exchange) => console.log(JSON.stringify(exchange))

// fail ends the program with 1.
export const fail = (error) => {
  console.error(error.message)
  process.exitCode = 1
}
