import { app, dialog } from 'electron'
import { messageOf } from '../base/errors.ts'
import { texts } from './texts.ts'

/** Says why the application cannot go on, and ends it. */
export function showFailure(error: unknown): void {
  dialog.showErrorBox(texts().cannotStart, messageOf(error))
  app.exit(1)
}
