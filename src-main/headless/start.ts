import { releaseUnusedMemory } from '../base/memory.ts'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type Application, createApp } from '../app.ts'
import { messageOf } from '../base/errors.ts'
import { packageDirectory } from '../base/package-directory.ts'
import { DirectoryInUse } from '../database/instance-lock.ts'
import { isLink, pageOfTarget, requireFile } from '../opened.ts'
import { defaultPort } from './arguments.ts'
import { findAppBrowser, hasDisplay, openAppWindow, openInDefaultBrowser } from './browsers.ts'
import { type Command, commonOptions, commonUsage, requireDirectory } from './command.ts'
import { electronRuntime } from './electron-runtime.ts'
import { showFailurePage } from './failure-page.ts'
import { besideRunning } from './local-application.ts'
import { endApplication, endOnSignal } from './signals.ts'

// `listwright start`: the desktop application, or its interface in a browser where there is no Electron.

const usage = `Usage: listwright start [FILE | listwright://lists/ID]

Opens Listwright. Give it a file of subscribers to import. If Listwright is already running, another window opens.

${commonUsage}`

/** A browser that ends sooner than this, in milliseconds, and with a failure, has shown no window. */
const minVisit = 5000

export const startCommand: Command = { usage, run: start }

interface StartOptions {
  dataDirectory: string
  /** A file or a link; undefined = the first page. */
  target: string | undefined
  json: boolean
}

async function start(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: commonOptions, allowPositionals: true })
  requireDirectory(values['data-dir'])
  const [given, ...others] = positionals
  if (others.length > 0) throw new Error('start opens one file at a time')
  const target = given === undefined || isLink(given) ? given : await requireFile(given)
  const options = { dataDirectory: resolve(values['data-dir']), target, json: values.json }
  try {
    await open(options)
  } catch (error) {
    if (hasDisplay() && !process.stdout.isTTY && !options.json) showFailurePage(messageOf(error))
    throw error
  }
}

async function open(options: StartOptions): Promise<void> {
  if (!hasDisplay()) return run(options)
  const runtime = await electronRuntime()
  if (runtime.is === 'there') return runElectron(runtime.binary, options)
  if (runtime.is === 'missing' && !options.json) {
    process.stdout.write(
      'The Electron runtime is missing and cannot be downloaded: the interface opens in a browser instead.\n'
    )
  }
  await run(options)
}

function runElectron(electron: string, { dataDirectory, target }: StartOptions): void {
  const args = [packageDirectory, `--data-dir=${dataDirectory}`, ...(target === undefined ? [] : [target])]
  const desktop = spawn(electron, args, { stdio: 'inherit' })
  desktop.on('error', (error) => {
    process.stderr.write(`The desktop application did not start: ${error.message}\n`)
    process.exitCode = 1
  })
  desktop.on('exit', (status) => process.exit(status ?? 1))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => desktop.kill(signal))
}

async function run(options: StartOptions): Promise<void> {
  const { dataDirectory, target } = options
  const starting = createApp({ dataDirectory, port: defaultPort, orAnyPort: true })
  endOnSignal(starting)
  const app = await starting.catch((error: unknown) => {
    if (error instanceof DirectoryInUse) return null
    throw error
  })
  if (!app) return openAnother(options)
  releaseUnusedMemory()
  const page = target === undefined ? '/' : await app.pageFor(target)
  // Whether the window opened is unknown: some browsers may not read the sign-in file. So the address is
  // always printed.
  printAddress(app.interfaceUrl(page), options)
  if (!hasDisplay()) return
  const address = signInPage(dataDirectory, app.interfaceUrl(page))
  const browser = findAppBrowser()
  if (browser) showWindow(browser, address, app)
  else openInDefaultBrowser(address)
}

async function openAnother(options: StartOptions): Promise<void> {
  const { dataDirectory, target } = options
  const address = await besideRunning(dataDirectory, async ({ call, upload }) => {
    const page = target === undefined ? '/' : await pageOfTarget(target, upload)
    return (await call<{ address: string }>('POST', '/windows', { page, outlives_key: true })).address
  })
  printAddress(address, options)
  if (!hasDisplay()) return
  const local = signInPage(dataDirectory, address)
  const browser = findAppBrowser()
  // The browser passes the address to its running window and ends, or stays open independently of this
  // process.
  if (browser) openAppWindow(browser, local, profileDirectory(dataDirectory)).unref()
  else openInDefaultBrowser(local)
}

function showWindow(browser: string, address: string, app: Application): void {
  const opened = Date.now()
  const window = openAppWindow(browser, address, profileDirectory(app.dataDirectory))
  // If the window cannot be opened, the application continues for browsers that open its address.
  window.on('error', () => undefined)
  window.on('exit', (status) => {
    const failed = status !== 0 && Date.now() - opened < minVisit
    if (!failed) endApplication(app, 0)
  })
  process.on('exit', () => window.kill())
}

/** Of the browser, so that its window is separate. */
function profileDirectory(dataDirectory: string): string {
  return join(dataDirectory, 'browser')
}

/**
 * Writes a private page that redirects to the sign-in address: other accounts can read command lines, and the
 * address signs in.
 */
function signInPage(dataDirectory: string, address: string): string {
  const path = join(dataDirectory, 'open.html')
  const escaped = address.replaceAll('&', '&amp;')
  writeFileSync(
    path,
    `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${escaped}">\n`,
    { mode: 0o600 }
  )
  return pathToFileURL(path).href
}

function printAddress(address: string, { json }: StartOptions): void {
  process.stdout.write(
    json
      ? `${JSON.stringify({ address })}\n`
      : `Open Listwright in a browser (this link signs in once): ${address}\n`
  )
}
