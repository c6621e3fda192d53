import type { Command } from '../../database/command.ts'

/** Notes that the window copied a file into an upload directory. */
const noteUploadCopy: Command<{ path: string }, void> = async ({ db, now }, { path }) => {
  await db.replaceInto('upload_copies').values({ path, stored_at: now }).execute()
}

/** Forgets such a file, which is gone, or is somebody's own by now. */
const forgetUploadCopy: Command<{ path: string }, void> = async ({ db }, { path }) => {
  await db.deleteFrom('upload_copies').where('path', '=', path).execute()
}

export const uploadCopyCommands = { note: noteUploadCopy, forget: forgetUploadCopy }

declare module '../../database/command.ts' {
  interface CommandRegistry {
    uploadCopies: typeof uploadCopyCommands
  }
}
