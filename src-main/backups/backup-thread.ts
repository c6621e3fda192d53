import { answerQuestions } from '../base/asked-thread.ts'
import { messageOf } from '../base/errors.ts'
import { giveWay } from '../base/threads.ts'
import type { BackupAnswer, BackupQuestion } from './backups.ts'
import { verifyBackup } from './verify.ts'
import { writeBackup } from './write-backup.ts'

// Copies the database, and reads copies: both take seconds.

giveWay()
answerQuestions(async (question: BackupQuestion): Promise<BackupAnswer> => {
  try {
    return {
      found:
        question.ask === 'write'
          ? await writeBackup(question.databasePath, question.path)
          : await verifyBackup(question.path)
    }
  } catch (error) {
    return { refused: messageOf(error) }
  }
})
