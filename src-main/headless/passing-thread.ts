import { join } from 'node:path'
import { writeArchive } from '../backups/archive/write-archive.ts'
import { encryptFile } from '../backups/encryption.ts'
import { importFile } from '../backups/import-file.ts'
import type { Verification } from '../backups/schema.ts'
import { writeBackup } from '../backups/write-backup.ts'
import { answerQuestions } from '../base/asked-thread.ts'
import { type PassingQuestion, refuseExisting } from './passing-folder.ts'

// Makes copies and archives for a command, and imports or verifies packed ones, with a folder that the command removes afterwards.

answerQuestions(async (question: PassingQuestion): Promise<Verification> => {
  const { ask, folder, passphrase } = question
  if (ask === 'import') return importFile(question.file, question.destination, passphrase)
  if (ask === 'create' && passphrase === null) return writeBackup(question.database, question.destination)
  if (folder === null) throw new Error(`${ask} needs a folder`)
  const copy = join(folder, 'copy.db')
  if (ask === 'verify') return importFile(question.file, copy, passphrase)
  const { database, destination } = question
  // A consistent copy, whatever is written in the meantime.
  const found = await writeBackup(database, copy)
  const archive = passphrase === null ? destination : join(folder, 'archive.zip')
  if (ask === 'export') await writeArchive(copy, archive)
  if (passphrase !== null)
    await encryptFile(ask === 'export' ? archive : copy, refuseExisting(destination), passphrase)
  return found
})
