import type {
  App,
  BrowserWindow,
  BrowserWindowConstructorOptions,
  Dialog,
  HandlerDetails,
  MenuItemConstructorOptions,
  MessageBoxOptions,
  SafeStorage,
  Session,
  Shell,
  WebContents,
  WindowOpenHandlerResponse
} from 'electron'
import { EventEmitter } from 'node:events'

// The part of Electron that the desktop application uses, with Electron's own types, so that a call that Electron does
// not have is an error of the type check.

type PermissionRequestHandler = NonNullable<Parameters<Session['setPermissionRequestHandler']>[0]>

/** What a page of a window can do, as far as the application has a say in it. */
export class WebContentsDouble
  extends EventEmitter
  implements Pick<WebContents, 'setWindowOpenHandler' | 'reload'>
{
  windowOpenHandler: ((details: HandlerDetails) => WindowOpenHandlerResponse) | undefined

  setWindowOpenHandler(handler: (details: HandlerDetails) => WindowOpenHandlerResponse): void {
    this.windowOpenHandler = handler
  }

  /** What becomes of a link that opens a window. */
  openWindow(url: string): WindowOpenHandlerResponse | undefined {
    return this.windowOpenHandler?.({ url } as HandlerDetails)
  }

  /** Whether the page has unsaved work, and refuses to go. */
  hasUnsavedWork = false
  reloads = 0

  reload(): void {
    if (this.unloads()) this.reloads++
  }

  /** Whether the page goes: it has nothing unsaved, or the application overrules it. */
  unloads(): boolean {
    let goes = !this.hasUnsavedWork
    if (!goes) this.emit('will-prevent-unload', { preventDefault: () => (goes = true) })
    return goes
  }

  /** Whether an event of this name, such as will-navigate, is let through. */
  allows(name: 'will-navigate' | 'will-redirect' | 'will-attach-webview', url: string): boolean {
    let allowed = true
    this.emit(name, { url, preventDefault: () => (allowed = false) })
    return allowed
  }
}

/** All that happened to one start of the desktop application. */
export function electronDouble({ firstInstance = true } = {}) {
  const log: string[] = []
  const windows: BrowserWindowDouble[] = []
  const open = new Set<BrowserWindowDouble>()
  let permissionHandler: PermissionRequestHandler | undefined

  class AppDouble
    extends EventEmitter
    implements Pick<App, 'requestSingleInstanceLock' | 'whenReady' | 'exit'>
  {
    requestSingleInstanceLock(): boolean {
      return firstInstance
    }
    whenReady(): Promise<void> {
      return Promise.resolve()
    }
    /** As Electron does: windows are closed first, which may end it, and will-quit may hold it up. */
    quit(): void {
      this.emit('before-quit', { preventDefault: () => undefined })
      for (const window of [...open]) window.close()
      if (open.size > 0) return void log.push('quit given up')
      let held = false
      this.emit('will-quit', { preventDefault: () => (held = true) })
      log.push(held ? 'quit held up' : 'quit')
    }
    exit(status = 0): void {
      log.push(`exit ${status}`)
    }
  }
  const app = new AppDouble()

  class BrowserWindowDouble extends EventEmitter {
    readonly options: BrowserWindowConstructorOptions
    readonly webContents = new WebContentsDouble()
    address = ''
    constructor(options: BrowserWindowConstructorOptions) {
      super()
      this.options = options
      windows.push(this)
      open.add(this)
      app.emit('web-contents-created', {}, this.webContents)
    }
    static getAllWindows(): BrowserWindowDouble[] {
      return [...open]
    }
    /** As Electron does: a page may refuse. */
    close(): void {
      this.emit('close', {})
      if (this.webContents.unloads()) this.destroy()
    }
    destroy(): void {
      open.delete(this)
      this.emit('closed')
    }
    loadURL(address: string): Promise<void> {
      this.address = address
      return Promise.resolve()
    }
    show(): void {
      log.push('show')
    }
    isMinimized(): boolean {
      return true
    }
    restore(): void {
      log.push('restore')
    }
    focus(): void {
      log.push('focus')
    }
  }

  const answers = { button: 0 }
  const dialog: Pick<Dialog, 'showErrorBox'> & {
    showMessageBox: (window: BrowserWindow, options: MessageBoxOptions) => Promise<{ response: number }>
  } = {
    showErrorBox: (title, content) => void log.push(`${title}: ${content}`),
    showMessageBox: (_window, { message }) => {
      log.push(message)
      return Promise.resolve({ response: answers.button })
    }
  }
  const shell: Pick<Shell, 'openExternal'> = {
    openExternal: (url) => {
      log.push(`external ${url}`)
      return Promise.resolve()
    }
  }
  const defaultSession: Pick<Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler'> = {
    setPermissionRequestHandler: (handler) => (permissionHandler = handler ?? undefined),
    setPermissionCheckHandler: () => undefined
  }
  const safeStorage: Pick<
    SafeStorage,
    'isEncryptionAvailable' | 'getSelectedStorageBackend' | 'encryptString' | 'decryptString'
  > = {
    isEncryptionAvailable: () => true,
    getSelectedStorageBackend: () => 'gnome_libsecret',
    encryptString: (text) => Buffer.from([...Buffer.from(text)].map((byte) => byte ^ 0xff)),
    decryptString: (encrypted) => Buffer.from([...encrypted].map((byte) => byte ^ 0xff)).toString()
  }
  const Menu = {
    buildFromTemplate: (template: MenuItemConstructorOptions[]) => template,
    setApplicationMenu: (menu: MenuItemConstructorOptions[]) =>
      void log.push(`menu ${menu.map((item) => item.role ?? item.label).join(' ')}`)
  }

  return {
    module: {
      app,
      BrowserWindow: BrowserWindowDouble,
      dialog,
      safeStorage,
      shell,
      session: { defaultSession },
      Menu
    },
    app,
    windows,
    log,
    /** Which button the user presses where a question is asked. */
    answers,
    /** Whether a page that asks for this permission gets it. */
    grants: (permission: string): boolean => {
      let granted = false
      const ask = permissionHandler as unknown as (
        contents: unknown,
        name: string,
        answer: (decision: boolean) => void
      ) => void
      ask({}, permission, (decision) => (granted = decision))
      return granted
    }
  }
}
