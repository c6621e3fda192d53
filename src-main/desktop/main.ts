import '../base/memory.ts'
import { app } from 'electron'
import { messageOf } from '../base/errors.ts'
import { separateShellFiles, startApplication } from './application.ts'
import { offerContextMenus } from './context-menu.ts'
import { reloadCrashedPages } from './crashes.ts'
import { showFailure } from './failure.ts'
import { showJobs } from './jobs.ts'
import { storeLogs } from './logs.ts'
import { setApplicationMenu } from './menu.ts'
import { pageToBeginWith, receiveOpenedTargets } from './opened.ts'
import { endInOrder } from './quitting.ts'
import { lockDownSession, lockDownWebContents } from './security.ts'
import { lookForUpdates } from './updates.ts'
import { openWindow, reopenOnActivate } from './window.ts'

// The startup sequence of the desktop application.

separateShellFiles()
if (app.requestSingleInstanceLock()) {
  storeLogs()
  receiveOpenedTargets()
  lockDownWebContents()
  offerContextMenus()
  reloadCrashedPages()
  // Not awaited: Electron becomes ready only after this module has been evaluated.
  void app.whenReady().then(begin).catch(showFailure)
} else {
  app.quit()
}

async function begin(): Promise<void> {
  const application = await startApplication()
  endInOrder(application)
  lockDownSession()
  setApplicationMenu(application)
  openWindow(application, await pageToBeginWith(application))
  reopenOnActivate()
  showJobs(application)
  lookForUpdates(application).catch((error: unknown) =>
    process.stderr.write(`Updates could not be looked for: ${messageOf(error)}\n`)
  )
}
