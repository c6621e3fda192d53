import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import { temporaryDirectory } from '../support/application.ts'
import { makeList } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { electronDouble } from './electron-double.ts'
import { startDesktop } from './start-desktop.ts'

async function beginLongImport(api: Client): Promise<number> {
  const list = await makeList(api, { name: 'Readers' })
  const content = Array.from({ length: 300_000 }, (_, row) => `person${row}@example.com`).join('\n')
  const { data } = await api.post<SubscriberImport>(`/mailing_lists/${list.id}/subscriber_imports`, {
    subscriber_import: {
      column_mapping: ['email'],
      file_source: { type: 'json', content },
      file_format: { csv_has_headers: false }
    }
  })
  await vi.waitFor(async () => {
    const { data: now } = await api.get<SubscriberImport>(`/subscriber_imports/${data.id}`)
    expect(now.state).toBe('importing')
  }, 20_000)
  return data.id
}

describe.runIf(process.platform === 'linux')('the shell around the window', () => {
  it('uses nothing of Electron that the double does not have', () => {
    const { module } = electronDouble()
    const used = globSync('src-main/desktop/*.ts').flatMap((path) => {
      const [, names = ''] = /import \{([^}]*)\} from 'electron'/.exec(readFileSync(path, 'utf8')) ?? []
      return names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && !name.startsWith('type '))
    })
    expect([...new Set(used)].filter((name) => !(name in module))).toEqual([])
  })

  it('restores the position of the window, unless it is outside all current displays', async () => {
    const directory = await temporaryDirectory()
    const first = await startDesktop({ directory })
    expect(first.window?.options).toMatchObject({ width: 1360, height: 860 })
    first.window?.maximize()
    if (first.window) Object.assign(first.window.options, { x: 300, y: 200, width: 900, height: 700 })
    first.app.quit()
    await vi.waitFor(() => expect(first.log).toContain('quit'))

    const second = await startDesktop({ directory })
    expect(second.window?.options).toMatchObject({ x: 300, y: 200, width: 900, height: 700 })
    second.window?.emit('ready-to-show')
    expect(second.window?.maximized).toBe(true)
    second.app.quit()
    await vi.waitFor(() => expect(second.log).toContain('quit'))

    const kept = join(second.userData, 'shell.json')
    writeFileSync(kept, readFileSync(kept, 'utf8').replace('"x":300', '"x":5000'))
    const third = await startDesktop({ directory })
    expect(third.window?.options).not.toHaveProperty('x')
    third.app.quit()
    await vi.waitFor(() => expect(third.log).toContain('quit'))
    writeFileSync(kept, '{"windows": {')
    expect((await startDesktop({ directory })).window?.options.width).toBe(1360)
  })

  it('remembers the place of its window for each configuration of displays', async () => {
    const directory = await temporaryDirectory()
    const placeOf = async (displayWidth: number, moveTo?: object): Promise<unknown> => {
      const { window, app, log } = await startDesktop({ directory, displayWidth })
      const { width, height } = window?.options ?? {}
      if (window && moveTo) Object.assign(window.options, { x: 100, y: 100, ...moveTo })
      app.quit()
      await vi.waitFor(() => expect(log).toContain('quit'))
      return [width, height]
    }
    expect(await placeOf(1920, { width: 1200, height: 800 })).toEqual([1360, 860])
    // At the desk there is more room.
    expect(await placeOf(2560, { width: 2000, height: 1000 })).toEqual([1360, 860])
    expect(await placeOf(1920)).toEqual([1200, 800])
    expect(await placeOf(2560)).toEqual([2000, 1000])
  })

  it('has menus with the commands of the product, which lead the window to their pages', async () => {
    const { applicationMenu, choose, window, origin } = await startDesktop()
    expect(applicationMenu().map(({ role, label }) => label ?? role)).toEqual([
      'File',
      'editMenu',
      'Go',
      'View',
      'windowMenu',
      'Help'
    ])
    for (const [label, page] of [
      ['New List…', '/lists?create'],
      ['Campaigns', '/campaigns'],
      ['Settings', '/settings'],
      ['About Listwright', '/about'],
      ['API Reference', '/docs/']
    ] as const) {
      choose(label)
      expect(window?.address).toBe(origin + page)
    }
    const german = await startDesktop({ locale: 'de-AT' })
    expect(german.applicationMenu().map(({ label }) => label)).toContain('Gehe zu')
  })

  it('gives each of its commands a shortcut of its own', async () => {
    const { applicationMenu } = await startDesktop()
    type Item = ReturnType<typeof applicationMenu>[number]
    const itemsIn = (items: readonly Item[]): Item[] =>
      items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? itemsIn(item.submenu) : [])])
    const shortcuts = itemsIn(applicationMenu()).flatMap(({ label, accelerator }) =>
      accelerator === undefined ? [] : [[label, accelerator]]
    )
    expect(shortcuts).toEqual([
      ['New List…', 'CmdOrCtrl+N'],
      ['Import a File…', 'CmdOrCtrl+O'],
      ['Settings', 'CmdOrCtrl+,'],
      ['Home', 'CmdOrCtrl+1'],
      ['Lists', 'CmdOrCtrl+2'],
      ['Campaigns', 'CmdOrCtrl+3'],
      ['Imports', 'CmdOrCtrl+4'],
      ['Jobs', 'CmdOrCtrl+5']
    ])
    expect(new Set(shortcuts.map(([, accelerator]) => accelerator)).size).toBe(shortcuts.length)
  })

  it('shows no notification about an ended job while the window is visible', async () => {
    const { window, trays, notifications, signIn } = await startDesktop()
    await beginLongImport(await signIn())
    await vi.waitFor(() => expect(trays.length).toBe(1), 10_000)
    window?.focus()
    await vi.waitFor(() => expect(trays[0]?.isDestroyed).toBe(true), 30_000)
    expect(notifications).toEqual([])
  })

  it('opens the import of a chosen file, or of one named at the start, whatever its name', async () => {
    const directory = await temporaryDirectory()
    const file = join(directory, 'people.csv')
    writeFileSync(file, 'email\na@example.com\n')
    const { app, window, origin, choose, answers, log } = await startDesktop({ args: [file] })
    expect(decodeURIComponent(window?.address ?? '')).toContain('page=/import-file?file=people.csv')
    const leadsTo = (page: string) => vi.waitFor(() => expect(window?.address).toBe(origin + page))
    app.emit('open-file', { preventDefault: () => undefined }, file)
    await leadsTo('/import-file?file=people.csv')
    writeFileSync(file, 'email\nb@example.com\n')
    answers.files = [file]
    choose('Import a File…')
    await leadsTo('/import-file?file=people%20(2).csv')
    expect(log).toContain(`recent ${file}`)
    writeFileSync(file, 'email\nc@example.com\n')
    app.emit('second-instance', {}, ['listwright', '--hidden', 'people.csv', '.'], directory)
    await leadsTo('/import-file?file=people%20(3).csv')
    writeFileSync(join(directory, 'people.zip'), 'PK')
    app.emit('second-instance', {}, ['listwright', 'people.zip'], directory)
    await leadsTo('/import-file?file=people.zip')
    app.emit('open-file', { preventDefault: () => undefined }, join(directory, 'gone.csv'))
    await vi.waitFor(() =>
      expect(log.join('\n')).toMatch(/This file cannot be opened: The file .* does not exist/)
    )
  })

  it('is known to the system by the name that its installer has', async () => {
    const { app } = await startDesktop()
    expect(app).toMatchObject({ userModelId: 'app.listwright.Listwright' })
  })

  it('leads links of its own scheme to lists, and to nothing that is not a page', async () => {
    const { app, window, origin } = await startDesktop()
    const leadsTo = (page: string) => vi.waitFor(() => expect(window?.address).toBe(origin + page))
    app.emit('open-url', { preventDefault: () => undefined }, 'listwright://lists/7')
    await leadsTo('/lists/7')
    for (const bad of [
      'listwright://app/v1/session',
      'listwright://../../etc',
      'listwright://lists/7?sign_in=1'
    ])
      app.emit('open-url', { preventDefault: () => undefined }, bad)
    await leadsTo('/')
  })

  it('keeps unsaved work when a link would leave it', async () => {
    const { app, window, log } = await startDesktop()
    if (!window) throw new Error('there is no window')
    const before = window.address
    window.webContents.hasUnsavedWork = true
    app.emit('open-url', { preventDefault: () => undefined }, 'listwright://lists/7')
    await vi.waitFor(() => expect(log).toContain('Discard your changes?'))
    expect(window.address).toBe(before)
    window.webContents.hasUnsavedWork = false
  })

  it('shows a running job in the taskbar and the tray, keeps the computer awake, and announces its end in the background', async () => {
    const { window, trays, log, notifications, signIn, origin } = await startDesktop()
    const id = await beginLongImport(await signIn())
    await vi.waitFor(() => expect(trays.length).toBe(1), 10_000)
    expect(window?.progress).not.toBe(-1)
    expect(log).toContain('awake prevent-app-suspension')
    expect(trays[0]?.menu.map(({ label }) => label)).toEqual(
      expect.arrayContaining([expect.stringMatching(new RegExp(`^Import ${id}`)), 'Open Listwright', 'Quit'])
    )
    await vi.waitFor(() => expect(notifications.length).toBe(1), 30_000)
    expect(log.find((entry) => entry.startsWith('notification'))).toBe(`notification Import ${id}: Finished`)
    expect(log).toContain('asleep 7')
    expect(trays[0]?.isDestroyed).toBe(true)
    expect(window?.progress).toBe(-1)
    notifications[0]?.emit('click')
    expect(window?.address).toBe(`${origin}/imports/${id}`)
  })

  it('asks before quitting while a job runs: it can continue without a window and quit afterwards', async () => {
    const { app, windows, answers, log, signIn, window } = await startDesktop()
    await beginLongImport(await signIn())
    answers.button = 2
    app.quit()
    await vi.waitFor(() => expect(log).toContain('A job is still running.'))
    expect(log).not.toContain('quit held up')
    answers.button = 0
    const closed = vi.fn()
    window?.on('closed', closed)
    app.quit()
    await vi.waitFor(() => expect(closed).toHaveBeenCalled())
    expect(log).not.toContain('quit held up')
    await vi.waitFor(() => expect(log.at(-1)).toBe('quit'), 30_000)
    expect(windows.length).toBe(1)
  })

  it('quits with its last window if the job that it continued for has ended', async () => {
    const { app, windows, answers, log, signIn, trays } = await startDesktop()
    await beginLongImport(await signIn())
    await vi.waitFor(() => expect(trays.length).toBe(1), 10_000)
    answers.button = 0
    app.quit()
    await vi.waitFor(() => expect(windows[0]?.isDestroyed()).toBe(true))
    app.emit('second-instance', {}, ['listwright'], '/')
    expect(windows.length).toBe(2)
    await vi.waitFor(() => expect(trays.every((tray) => tray.isDestroyed)).toBe(true), 30_000)
    expect(log).not.toContain('quit held up')
    windows[1]?.close()
    await vi.waitFor(() => expect(log.at(-1)).toBe('quit'))
  })

  it('asks about jobs once and about unsaved work once, and starts over after a cancelled quit', async () => {
    const { app, answers, log, signIn, window } = await startDesktop()
    if (!window) throw new Error('there is no window')
    await beginLongImport(await signIn())
    const asked = (question: string) => log.filter((entry) => entry === question).length
    window.webContents.hasUnsavedWork = true
    // Cancelled: what is reloaded later does not quit.
    answers.button = 2
    app.quit()
    await vi.waitFor(() => expect(asked('A job is still running.')).toBe(1))
    answers.button = 1
    window.webContents.reload()
    await vi.waitFor(() => expect(window.webContents.reloads).toBe(1))
    await pause(50)
    expect(log).not.toContain('quit held up')
    // Quits: one question after the other.
    window.webContents.hasUnsavedWork = true
    app.quit()
    await vi.waitFor(() => expect(log.at(-1)).toBe('quit'), 20_000)
    expect([asked('A job is still running.'), asked('Discard your changes?')]).toEqual([2, 2])
  })

  it('opens no window while the server ends', async () => {
    const { app, windows, log } = await startDesktop()
    app.quit()
    await vi.waitFor(() => expect(log).toContain('quit held up'))
    app.emit('second-instance', {}, ['listwright'], '/')
    app.emit('activate')
    expect(windows.length).toBe(1)
  })

  it('ends by a signal without a question', async () => {
    const { log, signIn } = await startDesktop()
    await beginLongImport(await signIn())
    process.emit('SIGTERM')
    await vi.waitFor(() => expect(log.at(-1)).toBe('quit'), 20_000)
    expect(log).not.toContain('A job is still running.')
  })

  it('shows the page that was chosen once unsaved work is discarded', async () => {
    const { choose, window, answers, origin } = await startDesktop()
    if (!window) throw new Error('there is no window')
    window.webContents.hasUnsavedWork = true
    answers.button = 1
    choose('Campaigns')
    await vi.waitFor(() => expect(window.address).toBe(`${origin}/campaigns`))
    expect(window.webContents.reloads).toBe(0)
    window.webContents.hasUnsavedWork = false
  })

  it('opens the second of two pages if the first is still loading', async () => {
    const { choose, window, log, origin } = await startDesktop()
    choose('Campaigns')
    choose('Imports')
    await vi.waitFor(() => expect(window?.address).toBe(`${origin}/imports`))
    expect(log.filter((entry) => entry.includes('cannot') || entry.startsWith('exit'))).toEqual([])
  })

  it('stops a resumable job, and continues it at the next start', async () => {
    const directory = await temporaryDirectory()
    const first = await startDesktop({ directory })
    const id = await beginLongImport(await first.signIn())
    first.answers.button = 1
    first.app.quit()
    await vi.waitFor(() => expect(first.log.at(-1)).toBe('quit'), 20_000)
    const second = await startDesktop({ directory })
    const api = await second.signIn()
    const ended = await api.imported(id)
    expect(ended).toMatchObject({ state: 'finished', stats: { subscribers: { added: 300_000 } } })
  })

  it('reloads a crashed page up to three times, then gives up', async () => {
    const { window, log } = await startDesktop()
    window?.webContents.crash('clean-exit')
    expect(window?.webContents.reloads).toBe(0)
    for (let crash = 0; crash < 3; crash++) window?.webContents.crash()
    expect(window?.webContents.reloads).toBe(3)
    window?.webContents.crash('oom')
    expect(window?.webContents.reloads).toBe(3)
    expect(log.join('\n')).toContain('The window closed unexpectedly')
  })

  it('checks spelling once the user allows downloading a dictionary', async () => {
    const directory = await temporaryDirectory()
    const isChecked = (start: Awaited<ReturnType<typeof startDesktop>>) => {
      const items = start.applicationMenu().flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))
      return items.find(({ label }) => label === 'Check Spelling')?.checked
    }
    const first = await startDesktop({ directory })
    expect([first.window?.options.webPreferences?.spellcheck, first.checksSpelling()]).toEqual([false, false])
    first.answers.button = 1
    const menuBefore = first.applicationMenu()
    first.choose('Check Spelling', true)
    expect(first.log).toContain('Download a dictionary?')
    // The system has already ticked the box, so the menu is rebuilt.
    await vi.waitFor(() => expect(first.applicationMenu()).not.toBe(menuBefore))
    expect(isChecked(first)).toBe(false)
    first.answers.button = 0
    first.choose('Check Spelling', true)
    await vi.waitFor(() => expect(isChecked(first)).toBe(true))
    first.app.quit()
    await vi.waitFor(() => expect(first.log).toContain('quit'))

    const second = await startDesktop({ directory })
    expect([second.window?.options.webPreferences?.spellcheck, second.checksSpelling()]).toEqual([true, true])
    second.choose('Check Spelling', false)
    await vi.waitFor(() => expect(isChecked(second)).toBe(false))
    expect(second.log).not.toContain('Download a dictionary?')
  })

  it('suggests corrections for a misspelled word, and commands for texts and links', async () => {
    const { window, menus, clipboard } = await startDesktop()
    window?.webContents.rightClick({ isEditable: true, dictionarySuggestions: ['letter'] })
    const [menu] = menus
    expect(menu?.map(({ label, role }) => label ?? role)).toEqual(
      expect.arrayContaining(['letter', 'cut', 'copy', 'paste', 'selectAll'])
    )
    ;(menu?.[0]?.click as () => void)()
    expect(window?.webContents.replaced).toBe('letter')
    window?.webContents.rightClick({})
    expect(menus.length).toBe(1)
    window?.webContents.rightClick({ linkURL: 'https://example.com/' })
    ;(menus[1]?.at(-1)?.click as () => void)()
    expect(clipboard.text).toBe('https://example.com/')
  })

  it('writes a log of limited size, and copies diagnostics without personal data', async () => {
    const { userData, choose, log, clipboard, window } = await startDesktop()
    window?.webContents.crash()
    process.stderr.write('The server refused ada@example.com in /?sign_in=abc123\n')
    const path = join(userData, 'logs/listwright.log')
    expect(readFileSync(path, 'utf8')).toContain('A page crashed: crashed, status 1')
    choose('Show Logs')
    expect(log).toContain(`folder ${join(userData, 'logs')}`)
    choose('Copy Diagnostics')
    await vi.waitFor(() => expect(clipboard.text).toContain('Listwright 0.1.0'))
    expect(clipboard.text).toContain('Running jobs: none')
    expect(clipboard.text).toMatch(/Database: \d/)
    expect(clipboard.text).toContain('The server refused (address) in /?sign_in=(token)')
    expect(clipboard.text).not.toContain('ada@')
  })

  it('opens at login if the user enabled it, once it is installed', async () => {
    const { choose, dataHome, applicationMenu } = await startDesktop({ isPackaged: true })
    const entry = join(dataHome, 'autostart/app.listwright.Listwright.desktop')
    choose('Open at Login', true)
    expect(readFileSync(entry, 'utf8')).toMatch(/Exec=".*exe"/)
    choose('Open at Login', false)
    expect(existsSync(entry)).toBe(false)
    expect(JSON.stringify(applicationMenu())).toContain('Open at Login')
    const checkout = await startDesktop()
    expect(JSON.stringify(checkout.applicationMenu())).not.toContain('Open at Login')
  })
})

describe('opening at login', () => {
  it.each(['darwin', 'win32'] as const)(
    'is left to the system on %s, which Electron supports',
    async (platform) => {
      const { module, opensAtLogin } = electronDouble({ isPackaged: true })
      const { platform: actual } = process
      Object.defineProperty(process, 'platform', { value: platform })
      onTestFinished(() => {
        Object.defineProperty(process, 'platform', { value: actual })
        vi.doUnmock('electron')
      })
      vi.resetModules()
      vi.doMock('electron', () => module)
      const login = await import('../../src-main/desktop/login.ts')
      expect([login.mayOpenAtLogin(), login.isOpenedAtLogin()]).toEqual([true, false])
      login.openAtLogin(true)
      expect([opensAtLogin(), login.isOpenedAtLogin()]).toEqual([true, true])
      login.openAtLogin(false)
      expect(opensAtLogin()).toBe(false)
      // Windows' portable program lies in another folder each time it runs.
      vi.stubEnv('PORTABLE_EXECUTABLE_FILE', 'E:\\Listwright.exe')
      expect(login.mayOpenAtLogin()).toBe(false)
    }
  )
})

describe.runIf(process.platform === 'linux')('updates', () => {
  const newer = {
    isUpdateAvailable: true,
    updateInfo: {
      version: '9.9.9',
      releaseNotes: 'Faster imports',
      files: [],
      path: '',
      sha512: '',
      releaseDate: ''
    }
  }

  async function startInstalled(options: Parameters<typeof startDesktop>[0] = {}) {
    const resources = await temporaryDirectory()
    writeFileSync(join(resources, 'app-update.yml'), 'provider: generic\n')
    return startDesktop({ isPackaged: true, resources, ...options })
  }

  it('are checked for only if the user enabled it', async () => {
    const directory = await temporaryDirectory()
    const { log, choose, autoUpdater, app } = await startInstalled({ directory })
    expect(log).not.toContain('look for updates')
    expect(autoUpdater).toMatchObject({
      autoDownload: false,
      autoInstallOnAppQuit: false,
      requestHeaders: { 'x-user-staging-id': '' }
    })
    choose('Check for Updates Daily', true)
    await vi.waitFor(() => expect(log).toContain('look for updates'))
    app.quit()
    await vi.waitFor(() => expect(log).toContain('quit'))
    const next = await startInstalled({ directory })
    await vi.waitFor(() => expect(next.log).toContain('look for updates'))
    next.choose('Check for Updates Daily', false)
  })

  it('are shown with their notes, and installed when no job runs', async () => {
    const { app, choose, autoUpdater, log, signIn, window, origin, dataHome } = await startInstalled()
    const api = await signIn()
    choose('Check for Updates…')
    await vi.waitFor(() => expect(log.join('\n')).toContain('Could not check for updates'))
    autoUpdater.found = { ...newer, isUpdateAvailable: false }
    choose('Check for Updates…')
    await vi.waitFor(() => expect(log).toContain('You have the latest version.'))
    autoUpdater.found = newer
    choose('Check for Updates…')
    await vi.waitFor(() => expect(window?.address).toBe(`${origin}/about`))
    expect((await api.workbench('GET', '/about')).data).toEqual({
      version: '0.1.0',
      can_look: true,
      update: { version: '9.9.9', notes: 'Faster imports', can_be_installed: true }
    })
    await beginLongImport(api)
    const refused = await api.workbench('POST', '/about/update')
    expect(refused.error_message).toMatch(/The update waits for these to finish/)
    expect(log).not.toContain('download update')
    await api.imported(1)
    expect((await api.workbench('POST', '/about/update')).success).toBe(true)
    await vi.waitFor(() => expect(log).toContain('install update'))
    // The new version may not be what it should be.
    const backups = readdirSync(join(dataHome, 'Listwright/backups'))
    expect(backups.filter((name) => /^listwright-before-change-.*\.db$/.test(name)).length).toBe(1)
    // Nothing is replaced before everything has ended, and what comes in its place is no second start.
    expect(log.slice(-3)).toEqual(['quit held up', 'lock released', 'install update'])
    expect(log).toContain('download update')
    app.emit('quit')
    log.push('quit')
  })

  it('include beta versions if the user enabled them or has one, and never older ones', async () => {
    const directory = await temporaryDirectory()
    const { choose, autoUpdater, log, app } = await startInstalled({ directory })
    const looks = async () => {
      const before = log.length
      choose('Check for Updates…')
      await vi.waitFor(() => expect(log.slice(before)).toContain('look for updates'))
      return [autoUpdater.channel, autoUpdater.allowDowngrade]
    }
    expect(await looks()).toEqual(['latest', false])
    choose('Include Beta Versions', true)
    expect(await looks()).toEqual(['beta', false])
    choose('Include Beta Versions', false)
    expect(await looks()).toEqual(['latest', false])
    app.quit()
    await vi.waitFor(() => expect(log).toContain('quit'))
    const tester = await startInstalled({ version: '1.0.0-beta.2' })
    tester.choose('Check for Updates…')
    await vi.waitFor(() => expect(tester.log).toContain('look for updates'))
    expect([tester.autoUpdater.channel, tester.autoUpdater.allowDowngrade]).toEqual(['beta', false])
  })

  it('are left to the system in copies without an update address', async () => {
    const { choose, log, signIn } = await startDesktop({ isPackaged: true })
    choose('Check for Updates…')
    await vi.waitFor(() => expect(log.join('\n')).toContain('does not check for updates'))
    expect(log).not.toContain('look for updates')
    expect((await (await signIn()).workbench('POST', '/about/update')).success).toBe(false)
  })
})
