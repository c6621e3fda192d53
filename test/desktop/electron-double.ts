import type {
  App,
  BrowserWindow,
  BrowserWindowConstructorOptions,
  Clipboard,
  ContextMenuParams,
  Dialog,
  Display,
  HandlerDetails,
  LoginItemSettings,
  Menu,
  MenuItemConstructorOptions,
  MessageBoxOptions,
  NativeImage,
  Notification,
  NotificationConstructorOptions,
  PowerSaveBlocker,
  Rectangle,
  RenderProcessGoneDetails,
  SafeStorage,
  Screen,
  Session,
  Settings,
  Shell,
  Tray,
  WebContents,
  WindowOpenHandlerResponse
} from 'electron'
import { EventEmitter } from 'node:events'
import { join } from 'node:path'

// The part of Electron that the desktop application uses, with Electron's own types: a call that Electron does not have, or has
// in another form, is an error of the type check. What it does is what Electron's documentation says.

type PermissionRequestHandler = NonNullable<Parameters<Session['setPermissionRequestHandler']>[0]>

/** The part of a page that the application controls. */
export class WebContentsDouble
  extends EventEmitter
  implements Pick<WebContents, 'setWindowOpenHandler' | 'reload' | 'replaceMisspelling'>
{
  windowOpenHandler: ((details: HandlerDetails) => WindowOpenHandlerResponse) | undefined

  setWindowOpenHandler(handler: (details: HandlerDetails) => WindowOpenHandlerResponse): void {
    this.windowOpenHandler = handler
  }

  openWindow(url: string): WindowOpenHandlerResponse | undefined {
    return this.windowOpenHandler?.({ url } as HandlerDetails)
  }

  hasUnsavedWork = false
  reloads = 0
  replaced: string | undefined

  reload(): void {
    if (!this.unloads()) return
    this.reloads++
    setTimeout(() => this.emit('did-finish-load'), 5)
  }

  replaceMisspelling(text: string): void {
    this.replaced = text
  }

  unloads(): boolean {
    let goes = !this.hasUnsavedWork
    if (!goes) this.emit('will-prevent-unload', { preventDefault: () => (goes = true) })
    return goes
  }

  /** True if an event such as will-navigate is not prevented. */
  allows(name: 'will-navigate' | 'will-redirect' | 'will-attach-webview', url: string): boolean {
    let allowed = true
    this.emit(name, { url, preventDefault: () => (allowed = false) })
    return allowed
  }

  rightClick(params: Partial<ContextMenuParams>): void {
    const editFlags = { canCut: true, canCopy: true, canPaste: true }
    const all = { dictionarySuggestions: [], editFlags, isEditable: false, linkURL: '', selectionText: '' }
    this.emit('context-menu', {}, { ...all, ...params })
  }

  crash(reason: RenderProcessGoneDetails['reason'] = 'crashed'): void {
    this.emit('render-process-gone', {}, { reason, exitCode: 1 } satisfies RenderProcessGoneDetails)
  }
}

export interface DoubleOptions {
  firstInstance?: boolean
  isPackaged?: boolean
  locale?: string
  version?: string
  displayWidth?: number
}

const display = { workArea: { x: 0, y: 0, width: 1920, height: 1040 } } as Display

/**
 * Creates a double of Electron for one start of the application. It records the windows, menus, trays
 * and notifications.
 */
export function electronDouble({
  firstInstance = true,
  isPackaged = false,
  locale = 'en-US',
  version = '0.1.0',
  displayWidth = 1920
}: DoubleOptions = {}) {
  const log: string[] = []
  /** The default until the application sets it. */
  let userData = '/nowhere'
  let logs = '/nowhere/logs'
  const windows: BrowserWindowDouble[] = []
  const open = new Set<BrowserWindowDouble>()
  const menus: MenuItemConstructorOptions[][] = []
  const trays: TrayDouble[] = []
  const notifications: NotificationDouble[] = []
  let becomeReady = (): void => undefined
  const ready = new Promise<void>((resolve) => (becomeReady = resolve))
  const answers = { button: 0, files: [] as string[] }
  const displays = [{ ...display, bounds: { x: 0, y: 0, width: displayWidth, height: 1080 } }]
  let applicationMenu: MenuItemConstructorOptions[] = []
  let permissionHandler: PermissionRequestHandler | undefined
  let loginItem = { openAtLogin: false }

  class AppDouble
    extends EventEmitter
    implements
      Pick<
        App,
        | 'requestSingleInstanceLock'
        | 'whenReady'
        | 'exit'
        | 'relaunch'
        | 'quit'
        | 'isPackaged'
        | 'getLocale'
        | 'getPath'
        | 'setPath'
        | 'setAppUserModelId'
        | 'setAppLogsPath'
        | 'releaseSingleInstanceLock'
        | 'getVersion'
        | 'setAsDefaultProtocolClient'
        | 'addRecentDocument'
        | 'getLoginItemSettings'
        | 'setLoginItemSettings'
      >
  {
    readonly isPackaged = isPackaged
    userModelId = ''

    requestSingleInstanceLock(): boolean {
      return firstInstance
    }
    /** Like Electron: resolves only after the first module was loaded. */
    whenReady(): Promise<void> {
      return ready
    }
    releaseSingleInstanceLock(): void {
      log.push('lock released')
    }
    setAppLogsPath(path?: string): void {
      logs = path ?? join(userData, 'logs')
    }
    /**
     * Like Electron: before-quit may prevent it, then windows close, which may cancel it, and will-quit may
     * delay it.
     */
    quit(): void {
      let prevented = false
      this.emit('before-quit', {
        preventDefault: () => (prevented = true),
        get defaultPrevented() {
          return prevented
        }
      })
      if (prevented) return void log.push('quit asked about')
      for (const window of [...open]) window.close(true)
      if (open.size > 0) return void log.push('quit given up')
      let held = false
      this.emit('will-quit', { preventDefault: () => (held = true) })
      log.push(held ? 'quit held up' : 'quit')
      if (!held) this.emit('quit')
    }
    exit(status = 0): void {
      log.push(`exit ${status}`)
    }
    relaunch(): void {
      log.push('relaunch')
    }
    getLocale(): string {
      return locale
    }
    getPath(name: Parameters<App['getPath']>[0]): string {
      return name === 'userData' ? userData : name === 'logs' ? logs : join(userData, name)
    }
    setAppUserModelId(id: string): void {
      this.userModelId = id
    }
    setPath(_name: string, path: string): void {
      userData = path
    }
    getVersion(): string {
      return version
    }
    setAsDefaultProtocolClient(protocol: string): boolean {
      log.push(`protocol ${protocol}`)
      return true
    }
    addRecentDocument(path: string): void {
      log.push(`recent ${path}`)
    }
    getLoginItemSettings(): LoginItemSettings {
      return loginItem as LoginItemSettings
    }
    setLoginItemSettings(settings: Settings): void {
      loginItem = { openAtLogin: settings.openAtLogin ?? false }
    }
  }
  const app = new AppDouble()

  class BrowserWindowDouble
    extends EventEmitter
    implements
      Pick<
        BrowserWindow,
        | 'show'
        | 'focus'
        | 'isFocused'
        | 'isMinimized'
        | 'restore'
        | 'maximize'
        | 'isMaximized'
        | 'getNormalBounds'
        | 'setProgressBar'
        | 'loadURL'
        | 'isDestroyed'
      >
  {
    readonly options: BrowserWindowConstructorOptions
    readonly webContents = new WebContentsDouble()
    address = ''
    progress = -1
    maximized = false
    focused = false
    constructor(options: BrowserWindowConstructorOptions) {
      super()
      this.options = options
      windows.push(this)
      open.add(this)
      app.emit('browser-window-created', {}, this)
      app.emit('web-contents-created', {}, this.webContents)
    }
    static getAllWindows(): BrowserWindowDouble[] {
      return [...open]
    }
    close(isQuitting = false): void {
      this.emit('close', {})
      if (this.webContents.unloads()) this.destroy(isQuitting)
    }
    destroy(isQuitting = false): void {
      open.delete(this)
      this.emit('closed')
      if (open.size === 0 && !isQuitting) app.emit('window-all-closed')
    }
    loadURL(address: string): Promise<void> {
      const aborted = Object.assign(new Error('ERR_ABORTED (-3)'), { code: 'ERR_ABORTED' })
      if (this.address !== '' && !this.webContents.unloads()) return Promise.reject(aborted)
      this.address = address
      // A load that another one replaces is given up.
      this.#giveUp?.(aborted)
      return new Promise((resolve, reject) => {
        this.#giveUp = reject
        setTimeout(() => {
          this.#giveUp = undefined
          this.webContents.emit('did-finish-load')
          resolve()
        }, 20)
      })
    }
    #giveUp: ((error: Error) => void) | undefined
    isDestroyed(): boolean {
      return !open.has(this)
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
      this.focused = true
      log.push('focus')
    }
    isFocused(): boolean {
      return this.focused
    }
    maximize(): void {
      this.maximized = true
    }
    isMaximized(): boolean {
      return this.maximized
    }
    getNormalBounds(): Rectangle {
      const { x = 10, y = 20, width = 800, height = 600 } = this.options
      return { x, y, width, height }
    }
    setProgressBar(progress: number): void {
      this.progress = progress
    }
  }

  class TrayDouble implements Pick<Tray, 'setToolTip' | 'destroy'> {
    toolTip = ''
    menu: MenuItemConstructorOptions[] = []
    isDestroyed = false
    readonly image: unknown
    constructor(image: unknown) {
      this.image = image
      trays.push(this)
    }
    setToolTip(text: string): void {
      this.toolTip = text
    }
    setContextMenu(menu: { template: MenuItemConstructorOptions[] }): void {
      this.menu = menu.template
    }
    destroy(): void {
      this.isDestroyed = true
    }
  }

  class NotificationDouble extends EventEmitter implements Pick<Notification, 'show'> {
    static isSupported(): boolean {
      return true
    }
    readonly options: NotificationConstructorOptions
    constructor(options: NotificationConstructorOptions) {
      super()
      this.options = options
      notifications.push(this)
    }
    show(): void {
      log.push(`notification ${this.options.title}: ${this.options.body}`)
    }
  }

  const dialog: Pick<Dialog, 'showErrorBox'> & {
    showMessageBox: (
      ...args: [BrowserWindow, MessageBoxOptions] | [MessageBoxOptions]
    ) => Promise<{ response: number }>
    showOpenDialog: () => Promise<{ canceled: boolean; filePaths: string[] }>
  } = {
    showErrorBox: (title, content) => void log.push(`${title}: ${content}`),
    showMessageBox: (...args) => {
      log.push((args.length === 1 ? args[0] : args[1]).message)
      return Promise.resolve({ response: answers.button })
    },
    showOpenDialog: () => Promise.resolve({ canceled: answers.files.length === 0, filePaths: answers.files })
  }
  const shell: Pick<Shell, 'openExternal' | 'openPath'> = {
    openExternal: (url) => {
      log.push(`external ${url}`)
      return Promise.resolve()
    },
    openPath: (path) => {
      log.push(`folder ${path}`)
      return Promise.resolve('')
    }
  }
  let isSpellingChecked = true
  const defaultSession: Pick<
    Session,
    'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setSpellCheckerEnabled'
  > = {
    setSpellCheckerEnabled: (enable) => void (isSpellingChecked = enable),
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
  const powerSaveBlocker: Pick<PowerSaveBlocker, 'start' | 'stop'> = {
    start: (type) => {
      log.push(`awake ${type}`)
      return 7
    },
    stop: (id) => log.push(`asleep ${id}`) > 0
  }
  const clipboard: Pick<Clipboard, 'writeText'> & { text: string } = {
    text: '',
    writeText(text) {
      this.text = text
      return Promise.resolve()
    }
  }
  const screen: Pick<Screen, 'getAllDisplays'> = { getAllDisplays: () => displays }
  const nativeImage: { createFromPath: (path: string) => NativeImage } = {
    createFromPath: (path) => ({ path }) as unknown as NativeImage
  }
  const menu = {
    buildFromTemplate: (
      template: MenuItemConstructorOptions[]
    ): Pick<Menu, 'popup'> & { template: unknown } => ({
      template,
      popup: () => void menus.push(template)
    }),
    setApplicationMenu: (built: { template: MenuItemConstructorOptions[] }): void => {
      applicationMenu = built.template
    }
  }

  return {
    module: {
      app,
      BrowserWindow: BrowserWindowDouble,
      clipboard,
      dialog,
      Menu: menu,
      nativeImage,
      Notification: NotificationDouble,
      powerSaveBlocker,
      safeStorage,
      screen,
      session: { defaultSession },
      shell,
      Tray: TrayDouble
    },
    app,
    windows,
    /** Called once the first module was loaded. */
    becomeReady,
    log,
    menus,
    trays,
    notifications,
    displays,
    clipboard,
    answers,
    opensAtLogin: () => loginItem.openAtLogin,
    checksSpelling: () => isSpellingChecked,
    applicationMenu: () => applicationMenu,
    choose: (label: string, checked = true): void => {
      const items = applicationMenu.flatMap(
        ({ submenu }) => (submenu as MenuItemConstructorOptions[] | undefined) ?? []
      )
      const item = items.find((each) => each.label === label)
      if (!item?.click) throw new Error(`the menu has no ${label}`)
      const click = item.click as (item: { checked: boolean }) => void
      click({ checked })
    },
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
