import '../base/memory.ts'
import { app } from 'electron'
import { showFailure } from './failure.ts'
import { endInOrder, startApplication } from './application.ts'
import { setApplicationMenu } from './menu.ts'
import { lockDownSession, lockDownWebContents } from './security.ts'
import { focusWindow, openWindow, reopenOnActivate } from './window.ts'

// The desktop application, in the order in which it comes up.

if (app.requestSingleInstanceLock()) {
  app.on('second-instance', focusWindow)
  lockDownWebContents()
  await app.whenReady()
  try {
    const application = await startApplication()
    endInOrder(application)
    lockDownSession()
    setApplicationMenu()
    openWindow(application)
    reopenOnActivate(application)
  } catch (error) {
    showFailure(error)
  }
} else {
  app.quit()
}
