import { giveUnusedMemoryBack } from '../base/memory.ts'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type Application, createApp } from '../app.ts'
import { messageOf } from '../base/errors.ts'
import { packageDirectory } from '../base/package-directory.ts'
import { defaultDataDirectory, defaultPort } from './arguments.ts'
import { findAppBrowser, hasDisplay, openAppWindow, openInDefaultBrowser } from './browsers.ts'
import { electronBinary } from './electron-runtime.ts'
import { endApplication, endOnSignal } from './signals.ts'

// `npm start`: the desktop application, or its interface in a browser where there is no Electron.

const usage = `Usage: npm start

Opens Listwright. Its data is kept in ${defaultDataDirectory()}
For another place, another port, API keys and checks see: npm run serve -- --help
`

/** A browser that ends sooner than this, in milliseconds, and with a failure, has shown no window. */
const minVisit = 5000

await main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exitCode = 1
})

async function main(): Promise<void> {
  // It has no options but this one: what it was called with is not ignored.
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } })
  if (values.help) return void process.stdout.write(usage)
  if (!hasDisplay()) return printAddress(await startApplication())
  const electron = await electronBinary()
  if (electron) return runElectron(electron)
  process.stdout.write(
    'The Electron runtime is missing and cannot be fetched: the interface opens in a browser instead.\n'
  )
  const app = await startApplication()
  // Whether a window was really opened cannot be told: some browsers may not read the file that leads to it.
  printAddress(app)
  const browser = findAppBrowser()
  if (browser) showWindow(browser, app)
  else openInDefaultBrowser(signInPage(app))
}

function runElectron(electron: string): void {
  const desktop = spawn(electron, [packageDirectory], { stdio: 'inherit' })
  desktop.on('error', (error) => {
    process.stderr.write(`The desktop application did not start: ${error.message}\n`)
    process.exitCode = 1
  })
  desktop.on('exit', (status) => process.exit(status ?? 1))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => desktop.kill(signal))
}

async function startApplication(): Promise<Application> {
  const app = await createApp({ dataDirectory: defaultDataDirectory(), port: defaultPort, orAnyPort: true })
  endOnSignal(app)
  giveUnusedMemoryBack()
  return app
}

/** The window is the application: closing it ends everything, as on the desktop. */
function showWindow(browser: string, app: Application): void {
  const opened = Date.now()
  const window = openAppWindow(browser, signInPage(app), join(app.dataDirectory, 'browser'))
  // Without a window, the application goes on for whoever opens its address.
  window.on('error', () => undefined)
  window.on('exit', (status) => {
    const failed = status !== 0 && Date.now() - opened < minVisit
    if (!failed) endApplication(app, 0)
  })
  process.on('exit', () => window.kill())
}

/**
 * A page that leads to the interface, in a file that only its owner reads: other accounts see the command lines of programs,
 * and whoever has the address is signed in.
 */
function signInPage(app: Application): string {
  const path = join(app.dataDirectory, 'open.html')
  const address = app.interfaceUrl()
  writeFileSync(
    path,
    `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${address}">\n`,
    {
      mode: 0o600
    }
  )
  return pathToFileURL(path).href
}

function printAddress(app: Application): void {
  process.stdout.write(`Open Listwright in a browser (this link signs in once): ${app.interfaceUrl()}\n`)
}
