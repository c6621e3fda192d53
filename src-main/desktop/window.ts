import { app, BrowserWindow, dialog, type WebPreferences } from 'electron'
import type { Application } from '../app.ts'
import { checksSpelling } from './spelling.ts'
import { explainInSystemLanguage, texts } from './texts.ts'
import { storeWindowPlace, windowPlace } from './window-state.ts'

/** A page gets nothing but the web platform: no Node, no preload script, its own sandboxed process. */
export function windowPreferences(): WebPreferences {
  return {
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    webSecurity: true,
    spellcheck: checksSpelling()
  }
}

let current: BrowserWindow | undefined
/** undefined before the application has started and after it ended. */
let owner: Application | undefined
/** Runs once the user discards unsaved work that blocked it. */
let goesOn: (() => void) | undefined
let keptEditing: (() => void) | undefined

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
    webPreferences: windowPreferences()
  })
  current = window
  window.once('ready-to-show', () => {
    if (isMaximized) window.maximize()
    window.show()
  })
  window.on('closed', () => {
    current = undefined
    goesOn = undefined
  })
  storeWindowPlace(window)
  askBeforeClosing(window)
  load(window, application.interfaceUrl(page))
}

/**
 * Shows a page in the window, or just brings the window to the front; opens a window when there is none. A page with unsaved work
 * asks first.
 */
export function showPage(page: string | null): void {
  if (!owner) return
  if (!current) return openWindow(owner, page ?? '/')
  focusWindow()
  if (page === null) return
  const [window, address] = [current, owner.baseUrl + page]
  goesOn = () => load(window, address)
  load(window, address)
}

/** A load gives way to another one, to a page that refuses to go, and to the end of its window. */
function load(window: BrowserWindow, address: string): void {
  window.loadURL(address).then(
    () => (goesOn = undefined),
    (error: unknown) => {
      const isGivenUp = (error as { code?: string }).code === 'ERR_ABORTED' || window.isDestroyed()
      if (!isGivenUp) dialog.showErrorBox(texts().cannotShow, explainInSystemLanguage(error))
    }
  )
}

/** Shows no window any more: the server ends. */
export function endWindows(): void {
  owner = undefined
}

/** True if there is a window, hidden or not. */
export function hasWindow(): boolean {
  return current !== undefined
}

/** True if the window has the focus. */
export function isInFront(): boolean {
  return current?.isFocused() ?? false
}

/** Sets the listener that is called when the user continues editing instead of leaving the page. */
export function onKeptEditing(listener: () => void): void {
  keptEditing = listener
}

/**
 * A page with unsaved work refuses to be closed, left or reloaded. Browsers ask about it on their own; Electron leaves that to the
 * application. The API is served on this thread, so the question must not block it.
 */
function askBeforeClosing(window: BrowserWindow): void {
  let discards = false
  const reload = (): void => window.webContents.reload()
  const quits = (event: { defaultPrevented: boolean }): void => {
    if (!event.defaultPrevented) goesOn = () => app.quit()
  }
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
      else keptEditing?.()
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
  if (!owner) return
  if (!current) return openWindow(owner)
  if (current.isMinimized()) current.restore()
  current.focus()
}

/** On macOS an application outlives its windows; its icon reopens one. */
export function reopenOnActivate(): void {
  app.on('activate', focusWindow)
}
