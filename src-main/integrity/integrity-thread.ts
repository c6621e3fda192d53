import { answerQuestions } from '../base/asked-thread.ts'
import { examine, examineStructure, noteAsItIs, prepareNotes } from './examine.ts'
import type { IntegrityQuestion } from './integrity.ts'

// Reads the whole database, which takes a while.

answerQuestions(async ({ ask, ...database }: IntegrityQuestion): Promise<string[]> => {
  if (ask === 'examine') return examine(database)
  if (ask === 'structure') return examineStructure(database.databasePath)
  await (ask === 'prepare' ? prepareNotes : noteAsItIs)(database)
  return []
})
