import { existsSync } from 'node:fs'
import { findAppBrowser } from '../../src-main/headless/browsers.ts'

/** Debian's Chromium without the parts that draw on a screen, which works two thirds of the time. */
const headlessShell = '/usr/bin/chromium-headless-shell'

/** The Chromium or Chrome of this machine, which the tests need. */
export const installedBrowser = existsSync(headlessShell) ? headlessShell : findAppBrowser()

export const browserArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync'
]
