import { answerQuestions } from '../base/asked-thread.ts'
import { refusalOf } from '../base/errors.ts'
import { lowerPriority } from '../base/threads.ts'
import { writeArchive } from './archive/write-archive.ts'
import type { BackupAnswer, BackupQuestion } from './backups.ts'
import { encryptBackup } from './encrypt-backup.ts'
import { importFile } from './import-file.ts'
import { recoverBackup } from './recover.ts'
import { verifyBackup } from './verify.ts'
import { writeBackup } from './write-backup.ts'

// Copies the database, reads copies, recovers what is damaged, writes archives, reads them and encrypts: all of it takes seconds.

lowerPriority()
answerQuestions(async (question: BackupQuestion): Promise<BackupAnswer> => {
  const { path } = question
  try {
    if (question.ask === 'write') return { found: await writeBackup(question.databasePath, path) }
    if (question.ask === 'verify') return { found: await verifyBackup(path) }
    if (question.ask === 'import')
      return { found: await importFile(question.file, path, question.passphrase) }
    if (question.ask === 'export') {
      await writeArchive(path, question.archive)
      return { isWritten: true }
    }
    if (question.ask === 'encrypt') {
      await encryptBackup(path, question.encrypted, question.passphrase, question.cost)
      return { isWritten: true }
    }
    const { databasePath, file } = question
    return await recoverBackup({ databasePath, file }, path)
  } catch (error) {
    return { refused: refusalOf(error) }
  }
})
