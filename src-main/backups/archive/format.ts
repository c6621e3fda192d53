import type { Database } from 'better-sqlite3'
import { type Static, Type } from 'typebox'
import { tablesOf } from '../verify.ts'

// An archive is a ZIP file of everything as plain text: a JSON file for each table, by which it is read back, and beside these the
// subscribers of each list as CSV, for other programs.

export const manifestName = 'manifest.json'

const format = 1
/** The schema of the first version that wrote archives. */
export const firstSchema = 36

export const Manifest = Type.Object({
  listwright_archive: Type.Literal(format),
  /** The database's schema version. */
  schema: Type.Integer(),
  written_at: Type.String(),
  /** The number of rows and a digest of them in key order, by table. */
  tables: Type.Record(Type.String(), Type.Object({ rows: Type.Integer(), digest: Type.String() }))
})
export type Manifest = Static<typeof Manifest>

export function manifestOf(
  schema: number,
  writtenAt: Date,
  tables: Record<string, { rows: number; digest: string }>
): Manifest {
  return { listwright_archive: format, schema, written_at: writtenAt.toISOString(), tables }
}

/** Returns the entry with a table's rows. */
export function tableEntry(table: string): string {
  return `data/${table}.json`
}

/** Not exported: users have to sign in again. */
const leftOut = ['window_sessions']
/** The table of SQLite that keeps ids from being given out twice. */
export const sequences = 'sqlite_sequence'

/** The tables of a database that an archive holds, by name; the sequences come last, since rows of the others write to them. */
export function archivedTables(database: Database): string[] {
  return [...tablesOf(database).filter((name) => !leftOut.includes(name)), sequences]
}

export type ColumnType = 'INTEGER' | 'REAL' | 'TEXT' | 'BLOB'

/** The columns of a table, with how their values are stored. */
export function columnsOf(database: Database, table: string): Map<string, ColumnType> {
  const columns = database
    .prepare<[string], { name: string; type: ColumnType | '' }>('SELECT name, type FROM pragma_table_info(?)')
    .all(table)
  // The columns of sqlite_sequence have no declared types: they hold a name and a number.
  return new Map(columns.map(({ name, type }) => [name, type || (name === 'seq' ? 'INTEGER' : 'TEXT')]))
}
