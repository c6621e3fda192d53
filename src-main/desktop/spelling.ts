import { dialog } from 'electron'
import { storeShellState, readKept } from './kept.ts'
import { texts } from './texts.ts'

/** macOS has dictionaries of its own. Elsewhere Electron fetches them from the web, and nothing is fetched unasked. */
export const needsDictionary = process.platform !== 'darwin'

/** True if new windows check spelling. */
export function checksSpelling(): boolean {
  return !needsDictionary || (readKept().checksSpelling ?? false)
}

/** Stores the choice, and asks first if a dictionary must be downloaded. */
export async function chooseSpelling(checks: boolean): Promise<void> {
  if (checks && !(await mayDownload())) return
  storeShellState({ checksSpelling: checks })
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
