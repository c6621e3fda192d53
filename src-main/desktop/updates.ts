import { windowPages } from '../base/window-pages.ts'
import { app, dialog } from 'electron'
import type { AppUpdater } from 'electron-updater'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Application } from '../app.ts'
import { messageOf } from '../base/errors.ts'
import { storeShellState, readKept } from './kept.ts'
import { quitAndThen } from './quitting.ts'
import { explainInSystemLanguage, texts } from './texts.ts'
import { showPage } from './window.ts'

/** In milliseconds. */
const lookInterval = 24 * 60 * 60 * 1000
/** Each copy draws its own lot for staged rollouts, so the server gets no identifier. */
const anonymous = { 'x-user-staging-id': '' }
let timer: NodeJS.Timeout | undefined

/** Checks for updates once a day, if the user enabled it. */
export async function lookForUpdates(application: Application): Promise<void> {
  if (!canLook()) return
  const autoUpdater = await updater()
  autoUpdater.autoDownload = false
  // Installed only on request while no job runs, never by quitting.
  autoUpdater.autoInstallOnAppQuit = false
  autoUpdater.requestHeaders = anonymous
  application.about.look = async () => void (await findUpdate(application))
  application.about.installUpdate = () => install(application)
  if (looksForUpdates()) lookDaily(application)
}

export function looksForUpdates(): boolean {
  return readKept().looksForUpdates ?? false
}

export function checkForUpdatesDaily(application: Application, looks: boolean): void {
  storeShellState({ looksForUpdates: looks })
  clearInterval(timer)
  if (looks && canLook()) lookDaily(application)
}

/** True if prereleases are offered; a prerelease always gets the next one. */
export function takesBetaVersions(): boolean {
  return readKept().takesBetaVersions ?? app.getVersion().includes('-')
}

export function setBetaVersions(application: Application, takes: boolean): void {
  storeShellState({ takesBetaVersions: takes })
  // An update found in the other channel is not offered any more.
  application.about.update = null
}

/** The channel for beta versions has the finished ones as well. */
function chooseChannel(autoUpdater: AppUpdater): void {
  autoUpdater.channel = takesBetaVersions() ? 'beta' : 'latest'
  // Choosing a channel turns this on, but an older version cannot open newer data. Whoever leaves the test
  // versions waits for the next release.
  autoUpdater.allowDowngrade = false
}

function lookDaily(application: Application): void {
  const look = (): void =>
    void findUpdate(application).catch((error: unknown) =>
      process.stderr.write(`Updates could not be looked for: ${messageOf(error)}\n`)
    )
  timer = setInterval(look, lookInterval)
  look()
}

/** Checks for updates now, and shows the result. */
export async function askForUpdates(application: Application): Promise<void> {
  const text = texts()
  if (!canLook()) return void (await dialog.showMessageBox({ type: 'info', message: text.noUpdateAddress }))
  try {
    const version = await findUpdate(application)
    if (version === null) return void (await dialog.showMessageBox({ type: 'info', message: text.upToDate }))
    const { response } = await dialog.showMessageBox({
      type: 'info',
      message: text.newVersion(version),
      buttons: [text.see, text.later],
      defaultId: 0,
      cancelId: 1
    })
    if (response === 0) showPage(windowPages.about)
  } catch (error) {
    dialog.showErrorBox(text.updateFailed, explainInSystemLanguage(error))
  }
}

/** Loaded where it is used: most copies never do. */
async function updater(): Promise<AppUpdater> {
  const { default: loaded } = await import('electron-updater')
  return loaded.autoUpdater
}

function canLook(): boolean {
  return app.isPackaged && existsSync(join(process.resourcesPath, 'app-update.yml'))
}

/** @returns the newer version, whose notes the page "About" shows; null = none */
async function findUpdate({ about }: Application): Promise<string | null> {
  const autoUpdater = await updater()
  chooseChannel(autoUpdater)
  const found = await autoUpdater.checkForUpdates()
  // Updates cannot be installed in this copy, for example because it was unpacked by hand.
  if (!found) throw new Error(texts().noUpdateAddress)
  if (!found.isUpdateAvailable) {
    about.update = null
    return null
  }
  const { version, releaseNotes } = found.updateInfo
  const notes =
    typeof releaseNotes === 'string'
      ? releaseNotes
      : (releaseNotes ?? []).map((release) => `${release.version}\n${release.note ?? ''}`).join('\n\n')
  about.update = { version, notes }
  return version
}

/** Fetches the update and starts it. @throws Error with a sentence where a job runs */
async function install(application: Application): Promise<void> {
  const autoUpdater = await updater()
  await requireRest(application)
  await autoUpdater.downloadUpdate()
  await requireRest(application)
  // A backup in case the new version has a fault.
  await application.backUp()
  // The delay lets the answer reach the window. Then the application closes before it is replaced.
  setTimeout(() => quitAndThen(() => autoUpdater.quitAndInstall()), 500)
}

async function requireRest(application: Application): Promise<void> {
  const running = await application.runningJobs()
  if (running.length > 0)
    throw new Error(`The update waits for these to finish: ${running.map(({ name }) => name).join(', ')}`)
}
