import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { startApplication } from '../support/application.ts'
import { startDesktop } from './start-desktop.ts'

// Electron's own checklist (https://www.electronjs.org/docs/latest/tutorial/security), item by item. The fuses are read out of the packaged
// binary by test/tools/package.test.ts.

const sources = globSync('src-main/desktop/*.ts')
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n')
const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  devDependencies: Record<string, string>
}

describe.runIf(process.platform === 'linux')("Electron's security checklist", () => {
  it('1. only secure content is loaded: the server of this process, on the loopback', async () => {
    const { window, origin } = await startDesktop()
    expect(new URL(origin).hostname).toBe('127.0.0.1')
    expect(window?.webContents.allows('will-navigate', 'http://example.com/')).toBe(false)
  })

  it('2.–4., 20. pages have no Node, no preload script, an isolated context and a sandbox', async () => {
    const { window } = await startDesktop()
    expect(window?.options.webPreferences).toMatchObject({
      nodeIntegration: false,
      contextIsolation: true,
      sandbox: true
    })
    expect(window?.options.webPreferences).not.toHaveProperty('preload')
    expect(sources).not.toMatch(/ipcMain|contextBridge|nodeIntegrationInWorker/)
  })

  it('5. permissions that pages ask for are decided here', async () => {
    const { grants } = await startDesktop()
    const asked = [
      'media',
      'geolocation',
      'notifications',
      'openExternal',
      'clipboard-read',
      'usb',
      'fileSystem'
    ]
    expect(asked.filter(grants)).toEqual([])
  })

  it('6., 8.–10. web security is on, and nothing experimental or insecure is allowed', async () => {
    const { window } = await startDesktop()
    expect(window?.options.webPreferences?.webSecurity).toBe(true)
    expect(sources).not.toMatch(
      /webSecurity: false|allowRunningInsecureContent|experimentalFeatures|enableBlinkFeatures/
    )
  })

  it('7. a Content-Security-Policy lets in nothing but the own server', async () => {
    const { app } = await startApplication()
    const page = await fetch(app.baseUrl, { headers: { accept: 'text/html' } })
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/script-src[^;]*unsafe|https?:/)
  })

  it('11.–12. there are no webviews', async () => {
    const { window, origin } = await startDesktop()
    expect(window?.webContents.allows('will-attach-webview', origin)).toBe(false)
    expect(sources).not.toContain('webviewTag')
  })

  it('13.–14. navigation and new windows stay on the own server', async () => {
    const { window } = await startDesktop()
    for (const url of [
      'https://example.com/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'data:text/html,x'
    ]) {
      expect(window?.webContents.allows('will-navigate', url), url).toBe(false)
      expect(window?.webContents.allows('will-redirect', url), url).toBe(false)
      expect(window?.webContents.openWindow(url), url).toEqual({ action: 'deny' })
    }
  })

  it('15. only links to the web are given to the system, whatever else they begin with', async () => {
    const { window, log } = await startDesktop()
    for (const url of [
      'smb://host/share',
      'ms-msdt:/id',
      'file:///usr/bin/id',
      'mailto:a@example.com',
      'https://example.com/'
    ])
      window?.webContents.openWindow(url)
    expect(log.filter((entry) => entry.startsWith('external'))).toEqual(['external https://example.com/'])
  })

  it('16. Electron is pinned, so that it is the one that was tested', () => {
    expect(devDependencies['electron']).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it('17., 18. there is no IPC whose senders would have to be checked, and no file:// page', () => {
    expect(sources).not.toMatch(/ipcMain|MessageChannelMain|loadFile|protocol\.handle/)
  })
})
