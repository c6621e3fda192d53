import SQLite, { type Database } from 'better-sqlite3'
import { messageOf, storageFaultOf } from '../base/errors.ts'

const maxFaults = 20

/** True if SQLite reports a damaged database, as opposed to a full or failing disk or a lock. */
export function isUnreadable(error: unknown): error is Error {
  if (storageFaultOf(error)?.kind === 'damaged') return true
  return error instanceof SQLite.SqliteError && error.code === 'SQLITE_ERROR'
}

/** Yields the faults that SQLite finds in the structure and references of a database. */
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
    if (!isUnreadable(error)) throw error
    yield `The file is damaged: ${messageOf(error)}`
  }
}
