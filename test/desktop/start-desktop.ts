import type { AppUpdater, UpdateCheckResult } from 'electron-updater'
import { expect, onTestFinished, vi } from 'vitest'
import { temporaryDirectory } from '../support/application.ts'
import * as builtApplication from '../support/built.ts'
import { Client } from '../support/client.ts'
import { SessionClient } from '../support/session-client.ts'
import { type DoubleOptions, electronDouble } from './electron-double.ts'

/** The used part of electron-updater, in its own types. */
export type UpdaterDouble = Pick<
  AppUpdater,
  'autoDownload' | 'autoInstallOnAppQuit' | 'allowDowngrade' | 'channel' | 'requestHeaders'
> & {
  /** The result of the next check; null = nothing newer. */
  found: Pick<UpdateCheckResult, 'isUpdateAvailable' | 'updateInfo'> | null
  checkForUpdates: () => Promise<unknown>
  downloadUpdate: () => Promise<string[]>
  quitAndInstall: () => void
}

/** Starts the desktop application, the real main.ts, on a data directory of its own, with doubles of Electron and its updater. */
export async function startDesktop(
  options: DoubleOptions & { directory?: string; args?: string[]; resources?: string; button?: number } = {}
) {
  const electron = electronDouble(options)
  const { log } = electron
  electron.answers.button = options.button ?? 0
  let channel: string | null = null
  const autoUpdater: UpdaterDouble = {
    autoDownload: true,
    autoInstallOnAppQuit: true,
    allowDowngrade: false,
    requestHeaders: null,
    get channel() {
      return channel
    },
    // As electron-updater does.
    set channel(value) {
      channel = value
      this.allowDowngrade = true
    },
    found: null,
    checkForUpdates() {
      log.push('look for updates')
      return Promise.resolve(this.found)
    },
    downloadUpdate: () => {
      log.push('download update')
      return Promise.resolve([])
    },
    quitAndInstall: () => void log.push('install update')
  }
  const dataHome = options.directory ?? (await temporaryDirectory())
  const { argv, resourcesPath } = process
  process.argv = ['electron', '/the/application', ...(options.args ?? [])]
  Object.assign(process, { resourcesPath: options.resources ?? dataHome })
  // env-paths puts the data here.
  vi.stubEnv('XDG_DATA_HOME', dataHome)
  vi.stubEnv('XDG_CONFIG_HOME', dataHome)
  vi.resetModules()
  vi.doMock('electron', () => electron.module)
  // What is built is started in half the time.
  vi.doMock('../../src-main/app.ts', () => builtApplication)
  vi.doMock('electron-updater', () => ({ default: { autoUpdater } }))
  onTestFinished(async () => {
    Object.assign(process, { argv, resourcesPath })
    // Whatever runs is left to the next start.
    electron.answers.button = 1
    if (!log.includes('quit')) electron.app.quit()
    await vi.waitFor(() => expect(log).toContain('quit'))
    vi.doUnmock('electron')
    vi.doUnmock('electron-updater')
    vi.doUnmock('../../src-main/app.ts')
  })
  await import('../../src-main/desktop/main.ts')
  electron.becomeReady()
  if (options.firstInstance !== false)
    await vi.waitFor(
      () => expect(electron.windows.length > 0 || log.some((line) => line.startsWith('exit'))).toBe(true),
      20_000
    )
  const [window] = electron.windows
  const origin = window ? new URL(window.address).origin : ''
  return {
    ...electron,
    window,
    origin,
    userData: electron.app.getPath('userData'),
    dataHome,
    autoUpdater,
    signIn: () => signIn(window?.address)
  }
}

async function signIn(address = ''): Promise<Client> {
  const { origin } = new URL(address)
  const { data } = await new SessionClient({ baseUrl: origin }).openLink(address)
  const authorization = `Bearer ${data.session}`
  return new (class extends Client {
    override raw(path: string, init: RequestInit = {}): Promise<Response> {
      const headers = { ...(init.headers as Record<string, string>), authorization, origin }
      return fetch(origin + path, { redirect: 'manual', ...init, headers })
    }
  })(origin, '')
}
