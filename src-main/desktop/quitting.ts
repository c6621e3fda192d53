import { app, BrowserWindow, dialog } from 'electron'
import type { Application } from '../app.ts'
import { messageOf } from '../base/errors.ts'
import { quitWhenDone } from './jobs.ts'
import { texts } from './texts.ts'

/**
 * Quitting asks while jobs run, then waits until what was answered is written and running imports can be resumed. The windows are
 * closed before that: one with unsaved work may keep the application from quitting, and needs it to save.
 */
export function endInOrder(application: Application): void {
  /** What was decided about jobs that run: nothing yet, that they go on without a window, or that they stop. */
  let decided: 'nothing' | 'goes on' | 'stops' = 'nothing'
  let asking = false
  let ended = false

  // A page with unsaved work refuses: what was decided does not hold for the next time.
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-prevent-unload', () => {
      if (decided === 'stops') decided = 'nothing'
    })
  })
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin' && decided !== 'goes on') app.quit()
  })
  app.on('before-quit', (event) => {
    if (decided === 'stops' || ended) return
    event.preventDefault()
    if (asking) return
    asking = true
    void decide(application).then((decision) => {
      asking = false
      if (decision === 'cancel') return
      const wentOn = decided === 'goes on'
      decided = decision
      if (decision === 'stops') return app.quit()
      if (!wentOn) quitWhenDone(application)
      for (const window of BrowserWindow.getAllWindows()) window.close()
    })
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
    decided = 'stops'
    // Nothing can be saved any more, so no window is asked.
    for (const window of BrowserWindow.getAllWindows()) window.destroy()
    app.quit()
  })
}

async function decide(application: Application): Promise<'goes on' | 'stops' | 'cancel'> {
  const running = await application.runningJobs()
  if (running.length === 0) return 'stops'
  const text = texts()
  const buttons = [text.goOn, text.stopAndResume, text.cancel]
  const { response } = await dialog.showMessageBox({
    type: 'question',
    message: text.jobsQuestion(running.length),
    detail: text.jobsDetail,
    buttons,
    defaultId: 0,
    cancelId: 2
  })
  return (['goes on', 'stops', 'cancel'] as const)[response] ?? 'cancel'
}
