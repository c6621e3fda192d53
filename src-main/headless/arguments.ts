import envPaths from 'env-paths'
import { parseArgs } from 'node:util'
import { languageHelp } from './language.ts'
import { readAssignment } from '../settings/read-assignment.ts'
import { defaultSettings, type SettingsChanges } from '../settings/schema.ts'

export interface ServeArguments {
  dataDirectory: string
  port: number
  json: boolean
  settings: SettingsChanges
}

export const defaultPort = 4280

export const usage = `Usage: listwright serve [--data-dir DIR] [--port N] [--json] [--set NAME=VALUE]...

Runs the application without a window, on 127.0.0.1, until you stop it (Ctrl+C).

  --data-dir DIR  where the data is stored (default: ${defaultDataDirectory()})
  --port N        the port on 127.0.0.1 (default: ${defaultPort}; 0 picks a free one)
  --json          print one line of JSON with the address and an API key when ready
  --language LANG ${languageHelp}
  --set NAME=VALUE  set a configuration directive permanently, one of:
                  ${Object.keys(defaultSettings).join('\n                  ')}
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
      json: { type: 'boolean', default: false },
      set: { type: 'string', multiple: true, default: [] }
    }
  })
  const port = Number(values.port)
  if (!/^\d+$/.test(values.port) || port > 65_535) {
    throw new Error(`--port must be a number from 0 to 65535, not "${values.port}"`)
  }
  const settings = Object.assign({}, ...values.set.map(readAssignment)) as SettingsChanges
  return { dataDirectory: values['data-dir'], port, json: values.json, settings }
}
