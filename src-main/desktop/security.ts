import { app, session, shell, type WebContents } from 'electron'
import { checksSpelling } from './spelling.ts'
import { isOwnAddress, windowPreferences } from './window.ts'

/** The copy buttons write to the clipboard. */
const grantedPermissions = ['clipboard-sanitized-write']

/** Every page stays on this application's server, whatever is clicked or injected in it. */
export function lockDownWebContents(): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', (event) => {
      if (!isOwnAddress(event.url)) event.preventDefault()
    })
    contents.on('will-redirect', (event) => {
      if (!isOwnAddress(event.url)) event.preventDefault()
    })
    contents.on('will-attach-webview', (event) => event.preventDefault())
    decideNewWindows(contents)
  })
}

function decideNewWindows(contents: WebContents): void {
  contents.setWindowOpenHandler(({ url }) => {
    if (isOwnAddress(url)) {
      return { action: 'allow', overrideBrowserWindowOptions: { webPreferences: windowPreferences() } }
    }
    if (/^https?:\/\//.test(url)) void shell.openExternal(url)
    return { action: 'deny' }
  })
}

export function lockDownSession(): void {
  // A window without spell checking could load a dictionary anyway.
  session.defaultSession.setSpellCheckerEnabled(checksSpelling())
  session.defaultSession.setPermissionRequestHandler((_contents, permission, decide) =>
    decide(grantedPermissions.includes(permission))
  )
  session.defaultSession.setPermissionCheckHandler((_contents, permission) =>
    grantedPermissions.includes(permission)
  )
}
