import { dialog } from 'electron'
import { keep, readKept } from './kept.ts'
import { texts } from './texts.ts'

/** macOS has dictionaries of its own. Elsewhere Electron fetches them from the web, and nothing is fetched unasked. */
export const needsDictionary = process.platform !== 'darwin'

/** Whether windows that are opened from now on check spelling. */
export function checksSpelling(): boolean {
  return !needsDictionary || (readKept().checksSpelling ?? false)
}

/** Keeps the choice, and asks first where a dictionary would be fetched. */
export async function chooseSpelling(checks: boolean): Promise<void> {
  if (checks && !(await mayDownload())) return
  keep({ checksSpelling: checks })
}

async function mayDownload(): Promise<boolean> {
  const text = texts()
  const { response } = await dialog.showMessageBox({
    type: 'question',
    message: text.spellingQuestion,
    detail: text.spellingDetail,
    buttons: [text.download, text.cancel],
    defaultId: 0,
    cancelId: 1
  })
  return response === 0
}
