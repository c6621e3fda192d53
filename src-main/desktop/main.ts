import '../base/memory.ts'
import { app } from 'electron'
import { keepShellApart, startApplication } from './application.ts'
import { fetchNoDictionaries, offerContextMenus } from './context-menu.ts'
import { reloadCrashedPages } from './crashes.ts'
import { showFailure } from './failure.ts'
import { showJobs } from './jobs.ts'
import { keepLogs } from './logs.ts'
import { setApplicationMenu } from './menu.ts'
import { pageToBeginWith, takeWhatIsOpened } from './opened.ts'
import { endInOrder } from './quitting.ts'
import { lockDownSession, lockDownWebContents } from './security.ts'
import { lookForUpdates } from './updates.ts'
import { openWindow, reopenOnActivate } from './window.ts'

// The desktop application, in the order in which it comes up.

keepShellApart()
if (app.requestSingleInstanceLock()) {
  keepLogs()
  takeWhatIsOpened()
  lockDownWebContents()
  offerContextMenus()
  reloadCrashedPages()
  await app.whenReady()
  try {
    const application = await startApplication()
    endInOrder(application)
    lockDownSession()
    fetchNoDictionaries(application)
    setApplicationMenu(application)
    openWindow(application, await pageToBeginWith(application))
    reopenOnActivate()
    showJobs(application, { quit: () => app.quit() })
    await lookForUpdates(application)
  } catch (error) {
    showFailure(error)
  }
} else {
  app.quit()
}
