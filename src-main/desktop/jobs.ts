import { windowPages } from '../base/window-pages.ts'
import { app, BrowserWindow, Menu, nativeImage, Notification, powerSaveBlocker, Tray } from 'electron'
import { join } from 'node:path'
import { isUnnamed } from '../api/jobs/pages.ts'
import type { Application } from '../app.ts'
import { packageDirectory } from '../base/package-directory.ts'
import type { ShownJob } from '../job-watch.ts'
import { texts } from './texts.ts'
import { isInFront, showPage } from './window.ts'

/** Shows what jobs are at where the window does not: in the dock or the taskbar, in the tray, and by notifications at their end. */
export function showJobs(application: Application): void {
  const wakefulness = new Wakefulness()
  let tray: Tray | undefined
  application.onJobs(({ running, ended }) => {
    showProgress(running)
    wakefulness.keepWhile(running.length > 0)
    if (running.length > 0) {
      tray ??= new Tray(trayImage())
      describeIn(tray, running)
    } else {
      tray?.destroy()
      tray = undefined
    }
    if (!isInFront()) for (const job of ended) notify(job)
  })
}

/** Shows the share of all work that is done, or only activity if the total of a job is unknown. */
function showProgress(running: readonly ShownJob[]): void {
  const known = running.flatMap(({ progress }) => progress ?? [])
  const share = running.length === 0 ? -1 : known.length < running.length ? 2 : sum(known) / running.length
  for (const window of BrowserWindow.getAllWindows()) window.setProgressBar(share)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

function describeIn(tray: Tray, running: readonly ShownJob[]): void {
  const lines = running.map(lineOf)
  tray.setToolTip(['Listwright', ...lines].join('\n'))
  tray.setContextMenu(
    Menu.buildFromTemplate([
      ...running.map((job) => ({ label: lineOf(job), click: () => showPage(job.page ?? windowPages.jobs) })),
      { type: 'separator' as const },
      { label: texts().openWindow, click: () => showPage(null) },
      { label: texts().quit, click: () => app.quit() }
    ])
  )
}

function lineOf(job: ShownJob): string {
  const title = titleOf(job)
  return job.progress === null ? title : `${title}: ${Math.floor(job.progress * 100)} %`
}

function titleOf(job: ShownJob): string {
  return isUnnamed(job) ? texts().importNumber(job.id) : job.name
}

function trayImage(): Electron.NativeImage {
  return nativeImage.createFromPath(join(packageDirectory, 'out/main/tray.png'))
}

/** Held for as long as they can be clicked: what nothing refers to is collected, with its listeners. */
const shown = new Set<Notification>()

function notify(job: ShownJob): void {
  if (!Notification.isSupported()) return
  const text = texts()
  const outcome = { finished: text.finished, failed: text.failed, cancelled: text.cancelled }[
    job.state as string
  ]
  const notification = new Notification({ title: titleOf(job), body: outcome ?? text.finished })
  shown.add(notification)
  notification.on('click', () => {
    shown.delete(notification)
    showPage(job.page ?? windowPages.jobs)
  })
  notification.on('close', () => shown.delete(notification))
  notification.show()
}

class Wakefulness {
  #blocker: number | undefined

  keepWhile(needed: boolean): void {
    if (needed) this.#blocker ??= powerSaveBlocker.start('prevent-app-suspension')
    else if (this.#blocker !== undefined) {
      powerSaveBlocker.stop(this.#blocker)
      this.#blocker = undefined
    }
  }
}
