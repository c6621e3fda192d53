import { app, BrowserWindow, dialog, type WebPreferences } from 'electron'
import type { Application } from '../app.ts'
import { showFailure } from './failure.ts'

/** A page gets nothing but the web platform: no Node, no preload script, its own sandboxed process. */
export const windowPreferences: WebPreferences = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  webSecurity: true,
  spellcheck: false
}

let current: BrowserWindow | undefined
let ownOrigin: string | undefined

/** Whether an address belongs to this application's server. */
export function isOwnAddress(address: string): boolean {
  return URL.parse(address)?.origin === ownOrigin
}

/** Opens the window and signs it in. */
export function openWindow(application: Application): void {
  ownOrigin = application.baseUrl
  const window = new BrowserWindow({
    title: 'Listwright',
    width: 1360,
    height: 860,
    minWidth: 720,
    minHeight: 480,
    // Shown once there is something to see.
    show: false,
    webPreferences: windowPreferences
  })
  current = window
  window.once('ready-to-show', () => window.show())
  window.on('closed', () => (current = undefined))
  askBeforeClosing(window)
  window.loadURL(application.interfaceUrl()).catch(showFailure)
}

/**
 * A page with unsaved work refuses to be closed or reloaded. Browsers ask about it on their own; Electron leaves that to the
 * application. The API is served on this thread, so the question must not block it.
 */
function askBeforeClosing(window: BrowserWindow): void {
  let goesOn: (() => void) | undefined
  let discards = false
  const reload = (): void => window.webContents.reload()
  app.on('before-quit', () => (goesOn = () => app.quit()))
  window.on('close', () => (goesOn ??= () => window.close()))
  window.webContents.on('will-prevent-unload', (event) => {
    if (discards) return event.preventDefault()
    const next = goesOn ?? reload
    goesOn = undefined
    void discardsChanges(window).then((answer) => {
      discards = answer
      if (answer) next()
    })
  })
  window.webContents.on('did-finish-load', () => (discards = false))
}

async function discardsChanges(window: BrowserWindow): Promise<boolean> {
  const buttons = ['Keep editing', 'Discard changes']
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    message: 'Discard your changes?',
    detail: 'What you have changed in the window has not been saved.',
    buttons,
    defaultId: 0,
    cancelId: 0
  })
  return buttons[response] === 'Discard changes'
}

/** Brings the window to the front, as when the application is started a second time. */
export function focusWindow(): void {
  if (current?.isMinimized()) current.restore()
  current?.focus()
}

/** On macOS an application outlives its windows; its icon opens one again. */
export function reopenOnActivate(application: Application): void {
  app.on('activate', () => {
    if (current) focusWindow()
    else openWindow(application)
  })
}
