import envPaths from 'env-paths'
import { parseArgs } from 'node:util'

export interface ServeArguments {
  dataDirectory: string
  port: number
  json: boolean
}

export const defaultPort = 4280

export const usage = `Usage: npm run serve -- [--data-dir DIR] [--port N] [--json]

  --data-dir DIR  where the data is kept (default: ${defaultDataDirectory()})
  --port N        the port on 127.0.0.1 (default: ${defaultPort}; 0 picks a free one)
  --json          print one line of JSON with the address and an API key once it is ready
`

/** The platform's own place for application data. */
export function defaultDataDirectory(): string {
  return envPaths('Listwright', { suffix: '' }).data
}

/** @throws Error with a sentence for the user */
export function readArguments(args: string[]): ServeArguments {
  const { values } = parseArgs({
    args,
    options: {
      'data-dir': { type: 'string', default: defaultDataDirectory() },
      port: { type: 'string', default: String(defaultPort) },
      json: { type: 'boolean', default: false }
    }
  })
  const port = Number(values.port)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`--port must be a number from 0 to 65535, and "${values.port}" is none`)
  }
  return { dataDirectory: values['data-dir'], port, json: values.json }
}
