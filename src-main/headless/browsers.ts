import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export function hasDisplay(): boolean {
  if (process.platform !== 'linux') return true
  return Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY'])
}

/** Chromium, Chrome or Edge: browsers that open an address as a window of its own. */
export function findAppBrowser(): string | undefined {
  return candidates().find((path) => existsSync(path))
}

function candidates(): string[] {
  if (process.platform === 'darwin') {
    return ['Chromium', 'Google Chrome', 'Microsoft Edge'].map(
      (name) => `/Applications/${name}.app/Contents/MacOS/${name}`
    )
  }
  if (process.platform === 'win32') {
    const roots = ['ProgramFiles', 'ProgramFiles(x86)', 'LocalAppData'].flatMap(
      (name) => process.env[name] ?? []
    )
    const programs = ['Google\\Chrome\\Application\\chrome.exe', 'Microsoft\\Edge\\Application\\msedge.exe']
    return programs.flatMap((program) => roots.map((root) => join(root, program)))
  }
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge']
  const directories = (process.env['PATH'] ?? '').split(delimiter).filter((directory) => directory !== '')
  return names.flatMap((name) => directories.map((directory) => join(directory, name)))
}

/** Opens an address in an application window with a profile of its own; the process lives as long as the window. */
export function openAppWindow(browser: string, address: string, profileDirectory: string): ChildProcess {
  const isRoot = process.getuid?.() === 0
  return spawn(
    browser,
    [
      `--app=${address}`,
      `--user-data-dir=${profileDirectory}`,
      '--window-size=1360,860',
      // What the entry of the desktop's menu says, so that the window has its icon.
      '--class=listwright',
      '--no-first-run',
      '--no-default-browser-check',
      // Chromium refuses to start as root otherwise; it shows the pages of this application only.
      ...(isRoot ? ['--no-sandbox'] : [])
    ],
    { stdio: 'ignore' }
  )
}

/** Opens an address in the default browser, where there is one. */
export function openInDefaultBrowser(address: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', address]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', address]
        : ['xdg-open', address]
  // If the program is missing, the user still has the printed address.
  spawn(command ?? '', args, { stdio: 'ignore' }).on('error', () => undefined)
}
