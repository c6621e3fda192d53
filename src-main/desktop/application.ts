import { app, BrowserWindow, dialog, safeStorage } from 'electron'
import { type Application, createApp } from '../app.ts'
import { messageOf } from '../base/errors.ts'
import { defaultDataDirectory, defaultPort } from '../headless/arguments.ts'

/** The same application as `npm run serve`, on the same data. */
export function startApplication(): Promise<Application> {
  return createApp({
    dataDirectory: defaultDataDirectory(),
    port: defaultPort,
    orAnyPort: true,
    ...(isSafe() && {
      encryption: {
        encrypt: (text) => safeStorage.encryptString(text),
        decrypt: (encrypted) => safeStorage.decryptString(encrypted)
      }
    })
  })
}

/** Whether the system keeps the key of safeStorage: on Linux without a keyring it would be one that everybody knows. */
function isSafe(): boolean {
  if (!safeStorage.isEncryptionAvailable()) return false
  return process.platform !== 'linux' || safeStorage.getSelectedStorageBackend() !== 'basic_text'
}

/**
 * Quitting waits until what was answered is written and running imports can be resumed. The windows are closed before that: one
 * with unsaved work may keep the application from quitting, and needs it to save.
 */
export function endInOrder(application: Application): void {
  let ended = false
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  app.on('will-quit', (event) => {
    if (ended) return
    event.preventDefault()
    application
      .close()
      .catch((error: unknown) =>
        dialog.showErrorBox('Listwright did not shut down cleanly', messageOf(error))
      )
      .finally(() => {
        ended = true
        app.quit()
      })
  })
  application.onFailure((error) => {
    dialog.showErrorBox('Listwright has to stop', error.message)
    // Nothing can be saved any more, so no window is asked.
    for (const window of BrowserWindow.getAllWindows()) window.destroy()
    app.quit()
  })
}
