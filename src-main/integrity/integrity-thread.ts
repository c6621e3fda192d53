import { answerQuestions } from '../base/asked-thread.ts'
import { examine, examineStructure, noteAsItIs, prepareNotes } from './examine.ts'
import type { IntegrityQuestion } from './integrity.ts'

// Reads the whole database, which takes a while.

answerQuestions(async ({ ask, ...examined }: IntegrityQuestion): Promise<string[]> => {
  if (ask === 'examine') return examine(examined)
  if (ask === 'structure') return examineStructure(examined.databasePath)
  await (ask === 'prepare' ? prepareNotes : noteAsItIs)(examined)
  return []
})
