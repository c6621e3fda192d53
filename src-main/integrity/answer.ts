import { examineDatabase, examineStructure, acceptAsItIs, prepareNotes } from './examine.ts'
import type { OpenDatabase } from './verify-pages.ts'

/** The parts of a database to examine. Reading all of it takes a while for a large one. */
export type IntegrityQuestion = { ask: 'examine' | 'prepare' | 'structure' | 'accept' } & OpenDatabase

/** @returns the faults as sentences */
export async function answerOn({ ask, ...database }: IntegrityQuestion): Promise<string[]> {
  if (ask === 'examine') return examineDatabase(database)
  if (ask === 'structure') return examineStructure(database.databasePath)
  await (ask === 'prepare' ? prepareNotes : acceptAsItIs)(database)
  return []
}
