import { Ajv } from 'ajv'
import { defaultSettings, Settings, type SettingsChanges } from './schema.ts'

const validator = new Ajv({ strict: false })

/**
 * Reads `NAME=VALUE` as the command line has it, the value as in JSON: service_disable_subscriber_deletion=true.
 * @throws Error with a sentence for the user
 */
export function readAssignment(text: string): SettingsChanges {
  const [, name = '', written = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  if (!isName(name)) {
    const names = Object.keys(defaultSettings).join(', ')
    throw new Error(`--set ${text}: must be NAME=VALUE, where NAME is one of ${names}`)
  }
  const value = valueOf(written)
  if (!validator.validate(Settings.properties[name], value)) {
    const complaint = validator.errors?.at(0)?.message ?? 'has another type'
    throw new Error(`--set ${text}: ${name} ${complaint}`)
  }
  return { [name]: value }
}

function isName(name: string): name is keyof Settings {
  return name in defaultSettings
}

function valueOf(written: string): unknown {
  try {
    return JSON.parse(written)
  } catch {
    // Text that is not JSON is taken as it is; the schema decides whether it is valid.
    return written
  }
}
