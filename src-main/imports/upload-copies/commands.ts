import type { Command } from '../../database/command.ts'

const recordUploadCopy: Command<{ path: string }, void> = async ({ db, now }, { path }) => {
  await db.replaceInto('upload_copies').values({ path, stored_at: now }).execute()
}

const deleteUploadCopyRecord: Command<{ path: string }, void> = async ({ db }, { path }) => {
  await db.deleteFrom('upload_copies').where('path', '=', path).execute()
}

export const uploadCopyCommands = { note: recordUploadCopy, forget: deleteUploadCopyRecord }

declare module '../../database/command.ts' {
  interface CommandRegistry {
    uploadCopies: typeof uploadCopyCommands
  }
}
