import { app, dialog } from 'electron'
import { texts } from './texts.ts'

/** Most reloads of a crashing page within a time in milliseconds. */
const patience = { reloads: 3, within: 60_000 }

/** Reloads a page whose process crashed. The application stores its drafts. */
export function reloadCrashedPages(): void {
  app.on('web-contents-created', (_event, contents) => {
    let reloads: number[] = []
    contents.on('render-process-gone', (_event, { reason, exitCode }) => {
      if (reason === 'clean-exit') return
      process.stderr.write(`A page crashed: ${reason}, status ${exitCode}\n`)
      reloads = [...reloads.filter((at) => at > Date.now() - patience.within), Date.now()]
      if (reloads.length <= patience.reloads) return contents.reload()
      dialog.showErrorBox(texts().crashed, texts().crashedDetail)
    })
  })
}
