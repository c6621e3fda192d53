import { examine, examineStructure, noteAsItIs, prepareNotes } from './examine.ts'
import type { OpenDatabase } from './verify-pages.ts'

/** What can be asked about a database: all of it is read, which takes a while for a large one. */
export type IntegrityQuestion = { ask: 'examine' | 'prepare' | 'structure' | 'accept' } & OpenDatabase

/** @returns what is wrong, a sentence each */
export async function answerOn({ ask, ...database }: IntegrityQuestion): Promise<string[]> {
  if (ask === 'examine') return examine(database)
  if (ask === 'structure') return examineStructure(database.databasePath)
  await (ask === 'prepare' ? prepareNotes : noteAsItIs)(database)
  return []
}
