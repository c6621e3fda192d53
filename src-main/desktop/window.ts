import { app, BrowserWindow, dialog, type WebPreferences } from 'electron'
import type { Application } from '../app.ts'
import { showFailure } from './failure.ts'
import { texts } from './texts.ts'
import { keepWindowPlace, windowPlace } from './window-state.ts'

/** A page gets nothing but the web platform: no Node, no preload script, its own sandboxed process. */
export const windowPreferences: WebPreferences = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  webSecurity: true,
  spellcheck: true
}

let current: BrowserWindow | undefined
let owner: Application | undefined

/** Whether an address belongs to this application's server. */
export function isOwnAddress(address: string): boolean {
  return owner !== undefined && URL.parse(address)?.origin === owner.baseUrl
}

/** Opens the window and signs it in. @param page a path, such as /lists/7 */
export function openWindow(application: Application, page = '/'): void {
  owner = application
  const { bounds, isMaximized } = windowPlace()
  const window = new BrowserWindow({
    title: 'Listwright',
    ...bounds,
    minWidth: 720,
    minHeight: 480,
    // Shown once there is something to see.
    show: false,
    webPreferences: windowPreferences
  })
  current = window
  window.once('ready-to-show', () => {
    if (isMaximized) window.maximize()
    window.show()
  })
  window.on('closed', () => (current = undefined))
  keepWindowPlace(window)
  askBeforeClosing(window)
  window.loadURL(application.interfaceUrl(page)).catch(showFailure)
}

/** Leads the window to a page, or only to the front; opens one where there is none. A page with unsaved work asks first. */
export function showPage(page: string | null): void {
  if (!owner) return
  if (!current) return openWindow(owner, page ?? '/')
  focusWindow()
  // A page that refuses to go has been asked about: what was to be shown is not.
  if (page !== null) current.loadURL(owner.baseUrl + page).catch(() => undefined)
}

/** Whether there is a window, hidden or not. */
export function hasWindow(): boolean {
  return current !== undefined
}

/** Whether the person looks at it. */
export function isInFront(): boolean {
  return current?.isFocused() ?? false
}

/**
 * A page with unsaved work refuses to be closed, left or reloaded. Browsers ask about it on their own; Electron leaves that to the
 * application. The API is served on this thread, so the question must not block it.
 */
function askBeforeClosing(window: BrowserWindow): void {
  let goesOn: (() => void) | undefined
  let discards = false
  const reload = (): void => window.webContents.reload()
  const quits = (): void => void (goesOn = () => app.quit())
  app.on('before-quit', quits)
  window.on('closed', () => app.off('before-quit', quits))
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
  const text = texts()
  const buttons = [text.keepEditing, text.discard]
  const { response } = await dialog.showMessageBox(window, {
    type: 'question',
    message: text.discardQuestion,
    detail: text.discardDetail,
    buttons,
    defaultId: 0,
    cancelId: 0
  })
  return response === 1
}

/** Brings the window to the front, as when the application is started a second time. */
export function focusWindow(): void {
  if (!current && owner) return openWindow(owner)
  if (current?.isMinimized()) current.restore()
  current?.focus()
}

/** On macOS an application outlives its windows; its icon opens one again. */
export function reopenOnActivate(): void {
  app.on('activate', focusWindow)
}
