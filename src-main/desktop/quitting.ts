import { app, BrowserWindow, dialog } from 'electron'
import type { Application } from '../app.ts'
import { messageOf } from '../base/errors.ts'
import { explainInSystemLanguage, texts } from './texts.ts'
import { endWindows, hasWindow, onKeptEditing } from './window.ts'

let decided: 'nothing' | 'goes on' | 'stops' = 'nothing'
/** Replaces quitting once everything has ended. */
let atTheEnd: (() => void) | undefined

/**
 * Asks before quitting while jobs run, then waits until answered requests are durable and running imports can
 * resume. Windows close first: one with unsaved work may cancel quitting and needs the server to save.
 */
export function endInOrder(application: Application): void {
  let asking = false
  let ended = false
  decided = 'nothing'

  // If the user keeps editing, the application stays open and asks again the next time.
  onKeptEditing(() => {
    if (decided === 'stops') decided = 'nothing'
    atTheEnd = undefined
  })
  // Opening a window ends working in the background.
  app.on('browser-window-created', () => {
    if (decided === 'goes on') decided = 'nothing'
  })
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin' && decided !== 'goes on') app.quit()
  })
  app.on('before-quit', (event) => {
    if (decided === 'stops' || ended) return
    event.preventDefault()
    if (asking) return
    asking = true
    decide(application)
      .then((decision) => {
        if (decision === 'cancel') return
        decided = decision
        if (decision === 'stops') return app.quit()
        for (const window of BrowserWindow.getAllWindows()) window.close()
      })
      .catch((error: unknown) => {
        // If the running jobs are unknown, quitting is not delayed.
        process.stderr.write(`Jobs could not be asked about: ${messageOf(error)}\n`)
        decided = 'stops'
        app.quit()
      })
      .finally(() => (asking = false))
  })
  application.onJobs(({ running }) => {
    if (running.length === 0 && decided === 'goes on' && !hasWindow()) app.quit()
  })
  app.on('will-quit', (event) => {
    if (ended) return
    event.preventDefault()
    endWindows()
    application
      .close()
      .catch((error: unknown) =>
        dialog.showErrorBox(texts().notClosedCleanly, explainInSystemLanguage(error))
      )
      .finally(() => {
        ended = true
        if (!atTheEnd) return app.quit()
        // The new instance must be able to take the lock.
        app.releaseSingleInstanceLock()
        atTheEnd()
      })
  })
  application.onFailure((error) => {
    dialog.showErrorBox(texts().hasToStop, error.message)
    decided = 'stops'
    // Nothing can be saved any more, so no window is asked.
    for (const window of BrowserWindow.getAllWindows()) window.destroy()
    app.quit()
  })
  // A signal comes from a program, which cannot answer questions.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
  app.on('quit', () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, stop)
  })
}

function stop(): void {
  decided = 'stops'
  app.quit()
}

/** Ends everything in order, and then does something else in the place of quitting. A page with unsaved work may keep it from that. */
export function quitAndThen(work: () => void): void {
  atTheEnd = work
  stop()
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
