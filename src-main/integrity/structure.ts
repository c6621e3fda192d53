import type { Database } from 'better-sqlite3'
import { messageOf } from '../base/errors.ts'

/** Faults that are told one by one. */
const maxFaults = 20

/** What SQLite finds wrong with the structure of a database, and with what refers to what. */
export function* structuralFaults(database: Database): Generator<string> {
  try {
    for (const { integrity_check: fault } of database.pragma(`integrity_check(${maxFaults})`) as {
      integrity_check: string
    }[]) {
      if (fault !== 'ok') yield `The file is damaged: ${fault}`
    }
    const broken = database.pragma('foreign_key_check') as { table: string; parent: string }[]
    if (broken.length > 0)
      yield `${broken.length} rows, such as one in ${broken[0]?.table}, refer to missing ${broken[0]?.parent}`
  } catch (error) {
    yield `The file is damaged: ${messageOf(error)}`
  }
}
