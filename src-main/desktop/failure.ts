import { app, dialog } from 'electron'
import { messageOf } from '../base/errors.ts'

/** Says why the application cannot go on, and ends it. */
export function showFailure(error: unknown): void {
  dialog.showErrorBox('Listwright cannot start', messageOf(error))
  app.exit(1)
}
