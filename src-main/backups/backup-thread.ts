import { answerQuestions } from '../base/asked-thread.ts'
import { messageOf } from '../base/errors.ts'
import { giveWay } from '../base/threads.ts'
import type { BackupAnswer, BackupQuestion } from './backups.ts'
import { recoverBackup } from './recover.ts'
import { verifyBackup } from './verify.ts'
import { writeBackup } from './write-backup.ts'

// Copies the database, reads copies, and recovers what is damaged: all of it takes seconds.

giveWay()
answerQuestions(async (question: BackupQuestion): Promise<BackupAnswer> => {
  const { path } = question
  try {
    if (question.ask === 'write') return { found: await writeBackup(question.databasePath, path) }
    if (question.ask === 'verify') return { found: await verifyBackup(path) }
    const { databasePath, file } = question
    return await recoverBackup({ databasePath, file }, path)
  } catch (error) {
    return { refused: messageOf(error) }
  }
})
