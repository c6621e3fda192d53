import { app, safeStorage } from 'electron'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Application, createApp } from '../app.ts'
import { applicationId } from '../base/application-id.ts'
import { defaultDataDirectory, defaultPort } from '../headless/arguments.ts'

/** The same application as `listwright serve`, on the same data. */
export function startApplication(): Promise<Application> {
  return createApp({
    dataDirectory: dataDirectory(),
    port: defaultPort,
    orAnyPort: true,
    ...(isSafe() && {
      encryption: {
        encrypt: (text) => safeStorage.encryptString(text),
        decrypt: (encrypted) => safeStorage.decryptString(encrypted)
      }
    })
  })
}

/**
 * Stores Electron's own files (cookies, caches, logs) in a subfolder of the data directory: on macOS it would
 * mix them with the data, and applications with two data directories would take each other for a second
 * start.
 */
export function separateShellFiles(): void {
  mkdirSync(dataDirectory(), { recursive: true, mode: 0o700 })
  app.setPath('userData', join(dataDirectory(), 'shell'))
  // Windows shows notifications, and groups windows, by the name that the installer gave it.
  app.setAppUserModelId(applicationId)
}

/**
 * Returns the --data-dir that `listwright start` passes on; Electron and the system pass options of their
 * own.
 */
export function dataDirectory(): string {
  const { values } = parseArgs({
    args: process.argv.slice(1),
    options: { 'data-dir': { type: 'string' } },
    strict: false
  })
  const given = values['data-dir']
  return resolve(typeof given === 'string' ? given : defaultDataDirectory())
}

/** True if the system protects the key of safeStorage: on Linux without a keyring it is a well-known one. */
function isSafe(): boolean {
  if (!safeStorage.isEncryptionAvailable()) return false
  return process.platform !== 'linux' || safeStorage.getSelectedStorageBackend() !== 'basic_text'
}
