import { existsSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import { createApp } from '../support/built.ts'
import { startApplication, temporaryDirectory } from '../support/application.ts'
import { makeList } from '../support/builders.ts'
import { SessionClient } from '../support/session-client.ts'
import { startDesktop } from './start-desktop.ts'

async function listsIn(dataDirectory: string): Promise<string[]> {
  const { api, app } = await startApplication(dataDirectory)
  const { data } = await api.get<MailingList[]>('/mailing_lists')
  await app.close()
  return data.map(({ name }) => name)
}

describe.runIf(process.platform === 'linux')('the desktop application', () => {
  it('opens one window that is signed in, shown once it is drawn', async () => {
    const { window, log, origin } = await startDesktop()
    const opened = new SessionClient({ baseUrl: origin })
    expect((await opened.openLink(window?.address ?? '')).success).toBe(true)
    expect((await opened.session()).status).toBe(200)
    expect(window?.options.show).toBe(false)
    window?.emit('ready-to-show')
    expect(log).toContain('show')
  })

  it('gives its pages nothing but the web platform', async () => {
    const { window } = await startDesktop()
    expect(window?.options.webPreferences).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true
    })
    expect(window?.options.webPreferences).not.toHaveProperty('preload')
  })

  it.each(['quits', 'closes', 'reloads'] as const)(
    'asks before it %s if something is unsaved',
    async (way) => {
      const { app, window, log, answers, origin } = await startDesktop()
      if (!window) throw new Error('there is no window')
      const go = {
        quits: () => app.quit(),
        closes: () => window.close(),
        reloads: () => window.webContents.reload()
      }[way]
      const questions = () => log.filter((entry) => entry === 'Discard your changes?').length
      window.webContents.hasUnsavedWork = true
      go()
      await vi.waitFor(() => expect(questions()).toBe(1))
      // A user who keeps editing needs the server to save.
      expect((await fetch(`${origin}/app/v1/session`)).status).toBe(401)
      expect(log).not.toContain('quit held up')

      answers.button = 1
      const closed = vi.fn()
      window.on('closed', closed)
      go()
      await vi.waitFor(() =>
        expect(way === 'reloads' ? window.webContents.reloads : closed.mock.calls.length).toBe(1)
      )
      expect(questions()).toBe(2)
      if (way === 'quits') await vi.waitFor(() => expect(log.at(-1)).toBe('quit'))
    }
  )

  it('keeps its pages on its own server', async () => {
    const { window, origin } = await startDesktop()
    for (const name of ['will-navigate', 'will-redirect'] as const) {
      expect(window?.webContents.allows(name, `${origin}/lists/1`)).toBe(true)
      expect(window?.webContents.allows(name, 'https://evil.example/')).toBe(false)
      expect(window?.webContents.allows(name, 'file:///etc/passwd')).toBe(false)
    }
    expect(window?.webContents.allows('will-attach-webview', origin)).toBe(false)
  })

  it('opens its own pages in windows as hardened, links to the web in the browser, and nothing else', async () => {
    const { window, origin, log } = await startDesktop()
    expect(window?.webContents.openWindow(`${origin}/docs/`)).toEqual({
      action: 'allow',
      overrideBrowserWindowOptions: { webPreferences: window?.options.webPreferences }
    })
    expect(window?.webContents.openWindow('https://example.com/')).toEqual({ action: 'deny' })
    expect(window?.webContents.openWindow('file:///etc/passwd')).toEqual({ action: 'deny' })
    expect(log.filter((entry) => entry.startsWith('external'))).toEqual(['external https://example.com/'])
  })

  it('grants its pages the clipboard and no other permission', async () => {
    const { grants } = await startDesktop()
    expect(grants('clipboard-sanitized-write')).toBe(true)
    for (const permission of ['media', 'geolocation', 'notifications', 'openExternal']) {
      expect(grants(permission), permission).toBe(false)
    }
  })

  it('comes to the front when it is started again, and the second start ends', async () => {
    const { app, log } = await startDesktop()
    app.emit('second-instance', {}, ['listwright'], '/')
    expect(log).toEqual(expect.arrayContaining(['restore', 'focus']))
    const second = await startDesktop({ firstInstance: false })
    expect(second.windows).toEqual([])
    expect(second.log).toEqual(['quit'])
  })

  it('ends the server before it quits', async () => {
    const { app, log, origin } = await startDesktop()
    app.emit('window-all-closed')
    await vi.waitFor(() => expect(log).toContain('quit held up'))
    await vi.waitFor(() => expect(log.at(-1)).toBe('quit'))
    await expect(fetch(origin)).rejects.toThrow()
  })

  it('says why it cannot start', async () => {
    const directory = await temporaryDirectory()
    const other = await createApp({ dataDirectory: join(directory, 'Listwright'), port: 0 })
    onTestFinished(() => other.close())
    const { log } = await startDesktop({ directory })
    expect(log[0]).toMatch(/^Listwright cannot start: Another Listwright already uses the data/)
    expect(log[1]).toBe('exit 1')
  })

  it('offers the last backup if the data is gone, and starts again with it', async () => {
    const directory = await temporaryDirectory()
    const data = join(directory, 'Listwright')
    const { api, app } = await startApplication(data)
    await makeList(api, { name: 'Readers' })
    await api.workbench('POST', '/backups', { kind: 'manual' })
    await app.close()
    const database = join(data, 'listwright.db')
    await rm(database)
    const given = await startDesktop({ directory, button: 1 })
    expect(given.log).toEqual(['Listwright cannot start', 'exit 1'])
    expect(existsSync(database)).toBe(false)
    const { log } = await startDesktop({ directory, button: 0 })
    expect(log).toEqual(['Listwright cannot start', 'relaunch', 'exit 0'])
    expect(await listsIn(data)).toEqual(['Readers'])
  })

  it('recovers readable data if the data is damaged and there is no backup', async () => {
    const directory = await temporaryDirectory()
    const data = join(directory, 'Listwright')
    const { api, app } = await startApplication(data)
    await makeList(api, { name: 'Readers' })
    await app.close()
    const database = join(data, 'listwright.db')
    const file = await open(database, 'r+')
    await file.write(Buffer.alloc(100, 0xff), 0, 100, 0)
    await file.close()
    const { log } = await startDesktop({ directory, button: 0 })
    expect(log.at(0)).toBe('Listwright cannot start')
    expect(log.slice(-3)).toEqual(['0 subscribers were recovered.', 'relaunch', 'exit 0'])
    expect(await listsIn(data)).toEqual(['Readers'])
  })
})
