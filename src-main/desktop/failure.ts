import { app, dialog } from 'electron'
import { basename } from 'node:path'
import { restoreBackup } from '../backups/restore.ts'
import { type DataUnusable, isDataUnusable } from '../backups/unusable-data.ts'
import { alone, recoverAlone } from '../backups/without-application.ts'
import { dataDirectory } from './application.ts'
import { programFile } from './login.ts'
import { explainInSystemLanguage, texts } from './texts.ts'

/** Reports why the application cannot run and quits. For damaged data it first offers the ways back. */
export async function showFailure(error: unknown): Promise<void> {
  try {
    if (!isDataUnusable(error)) dialog.showErrorBox(texts().cannotStart, explainInSystemLanguage(error))
    else if (await wentBack(error)) return startAgain()
  } catch (fault) {
    dialog.showErrorBox(texts().cannotStart, explainInSystemLanguage(fault))
  }
  app.exit(1)
}

/**
 * Offers what the command line does elsewhere: packages with Electron have none.
 * @returns false if the user chose to quit
 */
async function wentBack({ problem, backup, canRecover }: DataUnusable): Promise<boolean> {
  const text = texts()
  const madeAt = new Intl.DateTimeFormat(app.getLocale(), { dateStyle: 'long', timeStyle: 'short' })
  const ways = [
    ...(backup === undefined ? [] : [{ label: text.restoreBackup, go: () => restore(backup.path) }]),
    ...(canRecover ? [{ label: text.recoverData, go: recover }] : [])
  ]
  const { response } = await dialog.showMessageBox({
    type: 'error',
    message: text.cannotStart,
    detail: [
      problem,
      backup === undefined ? text.noBackup : text.lastBackup(madeAt.format(backup.createdAt)),
      ...(canRecover ? [text.recoverDetail] : [])
    ].join('\n\n'),
    buttons: [...ways.map(({ label }) => label), text.quit],
    defaultId: ways.length,
    cancelId: ways.length
  })
  const way = ways[response]
  if (!way) return false
  await way.go()
  return true
}

async function restore(path: string): Promise<void> {
  await alone(dataDirectory(), () => restoreBackup(dataDirectory(), path, Date.now()))
}

async function recover(): Promise<void> {
  const { path, found, lossesFile } = await recoverAlone(dataDirectory())
  await restore(path)
  const text = texts()
  const count = new Intl.NumberFormat(app.getLocale()).format(found.subscribers)
  await dialog.showMessageBox({
    type: 'info',
    message: text.recovered(count),
    detail: text.recoveredDetail(basename(lossesFile))
  })
}

function startAgain(): void {
  app.relaunch({ execPath: programFile() })
  app.exit(0)
}
