import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findAppBrowser, openAppWindow, openInDefaultBrowser } from './browsers.ts'

/**
 * Shows in a browser why the application cannot start: a start from a desktop's menu has no terminal.
 * @param message one or more sentences
 */
export function showFailurePage(message: string): void {
  const directory = mkdtempSync(join(tmpdir(), 'listwright-'))
  const path = join(directory, 'cannot-start.html')
  writeFileSync(path, pageOf(message), { mode: 0o600 })
  const address = pathToFileURL(path).href
  const browser = findAppBrowser()
  // The data directory may be read-only, so the browser profile is in the temporary folder.
  if (browser) openAppWindow(browser, address, join(directory, 'browser')).unref()
  else openInDefaultBrowser(address)
}

function pageOf(message: string): string {
  const text = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="color-scheme" content="light dark">
  <title>Listwright cannot start</title>
  <style>
    body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 15vh auto; padding: 0 2rem }
    h1 { font-size: 1.5rem }
    p { white-space: pre-line; overflow-wrap: anywhere }
  </style>
  <h1>Listwright cannot start</h1>
  <p>${text}</p>
</html>
`
}
