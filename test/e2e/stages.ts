import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { _electron as electron, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { sharedApplication } from '../support/application.ts'
import { entryPoint } from '../support/built.ts'
import { Client } from '../support/client.ts'
import { sharedBrowser, skipsWithoutBrowser, Window } from './browser.ts'

interface Stage {
  name: string
  /** True if the program is not installed. */
  skips: boolean
  use: () => Staged
}

export interface Staged {
  /** There once the tests begin. */
  started: { api: Client; app: { baseUrl: string }; dataDirectory: string }
  open: (path?: string) => Promise<Window>
}

/** The application without a window, and a Chromium. */
const inChromium: Stage = {
  name: 'a real Chromium',
  skips: skipsWithoutBrowser,
  use: () => {
    const started = sharedApplication()
    const browser = sharedBrowser()
    return { started, open: (path) => Window.open(browser, started.app, path) }
  }
}

const packaged = process.env['LISTWRIGHT_PACKAGED']
const ownElectron = (() => {
  const note = 'node_modules/electron/path.txt'
  const binary = existsSync(note) ? resolve('node_modules/electron/dist', readFileSync(note, 'utf8')) : ''
  return existsSync(binary) ? binary : undefined
})()

const inElectron: Stage = {
  name: packaged === undefined ? 'Electron' : 'the packaged application',
  skips: packaged === undefined && ownElectron === undefined,
  use: () => {
    const app = { baseUrl: '' }
    const started = { app } as Staged['started']
    let directory: string
    let desktop: Desktop | undefined

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'listwright-test-'))
      const data = join(directory, 'data')
      started.dataDirectory = data
      const args = [`--data-dir=${data}`]
      desktop = packaged === undefined ? await launchOwn(args) : await launchPackaged(packaged, args)
      await desktop.page.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\//)
      app.baseUrl = new URL(desktop.page.url()).origin
      const { stdout } = await promisify(execFile)(process.execPath, [
        entryPoint,
        ...['key', 'create', 'test', '--data-dir', data, '--json']
      ])
      started.api = new Client(app.baseUrl, (JSON.parse(stdout) as { authorization: string }).authorization)
    })
    afterAll(async () => {
      await desktop?.end()
      await rm(directory, { recursive: true, force: true })
    })
    return {
      started,
      open: (path = '/') => {
        if (!desktop) throw new Error('the desktop application did not start')
        return Window.lead(desktop.page, app.baseUrl + path)
      }
    }
  }
}

const stages: readonly Stage[] = [inChromium, inElectron]

/** Runs the same tests in each environment. One that is not available is skipped by name. */
export function onEachStage(what: string, tests: (staged: Staged) => void): void {
  describe.each(stages)(`${what}, in $name`, { timeout: 120_000 }, ({ skips, use }) => {
    // The report names a stage that cannot run on this machine.
    if (skips) it.skip('is not available', () => undefined)
    else tests(use())
  })
}

interface Desktop {
  page: Page
  end: () => Promise<void>
}

async function launchOwn(args: string[]): Promise<Desktop> {
  const application = await electron.launch({ executablePath: ownElectron ?? '', args: ['.', ...args] })
  return { page: await application.firstWindow(), end: () => application.close() }
}

/** A packaged application takes no part in Node's inspector, which Playwright launches others by: its fuse is off. */
async function launchPackaged(program: string, args: string[]): Promise<Desktop> {
  const child = spawn(program, ['--remote-debugging-port=0', ...args], {
    stdio: ['ignore', 'ignore', 'pipe']
  })
  const browser = await chromium.connectOverCDP(await debuggingAddress(child))
  const [context] = browser.contexts()
  if (!context) throw new Error('the application shows nothing')
  const page = context.pages()[0] ?? (await context.waitForEvent('page'))
  return {
    page,
    end: async () => {
      await browser.close()
      child.kill()
      if (child.exitCode === null) await once(child, 'exit')
    }
  }
}

async function debuggingAddress(child: ChildProcess): Promise<string> {
  let output = ''
  for await (const chunk of child.stderr ?? []) {
    output += String(chunk)
    const [, address] = /DevTools listening on (ws:\S+)/.exec(output) ?? []
    if (address !== undefined) return address
  }
  throw new Error(`the application did not start: ${output}`)
}
