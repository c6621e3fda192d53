import { refusal } from '../base/refusal.ts'
import { ExplainedError } from '../base/errors.ts'
import SQLite, { type Database } from 'better-sqlite3'
import { existsSync, readFileSync } from 'node:fs'
import xxhash from 'xxhash-wasm'
import { recount } from '../api/subscriber-counts/recount.ts'
import { kyselyOver } from '../database/connection.ts'
import { addFunctions } from '../database/functions.ts'
import { newestSchema, writerOf } from '../database/migrate.ts'
import { structuralFaults } from '../integrity/structure.ts'
import { notePath } from './files.ts'
import type { TableDigest, Verification } from './schema.ts'

export interface BackupNote {
  tables: Record<string, TableDigest>
}

const maxFaults = 20

/**
 * Reads a backup completely: structure, references, counters, and the rows of each table compared with its
 * note. Takes about 10 s for a million subscribers.
 * @param called its name in sentences
 * @param note the path of its note
 * @throws Error with a sentence if it is no database of Listwright, or an incompatible one
 */
export async function verifyBackup(
  path: string,
  called = path,
  note = notePath(path)
): Promise<Verification> {
  const database = openBackup(path, called)
  try {
    const faults = [...structuralFaults(database)]
    // An unreadable table is among the faults already.
    const tables = faults.length > 0 ? {} : await digestsOf(database)
    if (faults.length === 0) {
      faults.push(...(await counterFaults(database)), ...differencesFromNote(note, tables))
    }
    const subscribers = tables['subscribers']?.rows ?? 0
    return { ok: faults.length === 0, faults: faults.slice(0, maxFaults), subscribers, tables }
  } finally {
    database.close()
  }
}

function openBackup(path: string, called: string): Database {
  if (!existsSync(path)) throw new ExplainedError(refusal('no_file', { path }))
  const refuse = (): never => {
    throw new ExplainedError(refusal('no_backup', { path: called }))
  }
  let database: Database | undefined
  try {
    database = new SQLite(path, { readonly: true, fileMustExist: true })
    addFunctions(database)
    const hasLists = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'mailing_lists'").get()
    const writtenBy = writerOf(database)
    if (writtenBy === 'newer') throw new ExplainedError(refusal('backup_of_newer', { path: called }))
    if (writtenBy === 'unreleased')
      throw new ExplainedError(refusal('backup_of_unreleased', { path: called }))
    return hasLists && writtenBy === 'this' ? database : refuse()
  } catch (error) {
    database?.close()
    if (error instanceof SQLite.SqliteError && ['SQLITE_NOTADB', 'SQLITE_CORRUPT'].includes(error.code))
      return refuse()
    throw error
  }
}

/** Backups of earlier schemas have counters that only the version that wrote them knows. */
async function counterFaults(database: Database): Promise<string[]> {
  if (database.pragma('user_version', { simple: true }) !== newestSchema) return []
  const db = kyselyOver(database)
  const { drifts } = await recount(db)
  return drifts.map(({ counter, kept, found }) => `${counter}: ${kept} recorded, ${found} found`)
}

function differencesFromNote(note: string, tables: Record<string, TableDigest>): string[] {
  if (!existsSync(note)) return []
  const noted = notedIn(note)
  if (!noted) return [`${note}, which tells what was written, is damaged`]
  return Object.entries(noted)
    .filter(([table, { digest }]) => tables[table]?.digest !== digest)
    .map(([table]) => `The table ${table} has changed since the backup was written`)
}

/** @returns null where it cannot be read any more */
function notedIn(note: string): BackupNote['tables'] | null {
  try {
    return (JSON.parse(readFileSync(note, 'utf8')) as BackupNote).tables
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** The tables of a database by name, but those of SQLite itself. Shadow tables of the search index follow from others. */
export function tablesOf(database: Database): string[] {
  return database
    .prepare<[], string>(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`
    )
    .pluck()
    .all()
}

/** The rows of each table and a digest of them, in the order of their keys. */
export async function digestsOf(
  database: Database,
  tables: readonly string[] = tablesOf(database)
): Promise<Record<string, TableDigest>> {
  const hashes = await xxhash()
  const digests: Record<string, TableDigest> = {}
  for (const name of tables) {
    const hash = hashes.create64()
    let rows = 0
    const statement = database.prepare<[], unknown[]>(`SELECT * FROM "${name}"`).raw().safeIntegers()
    for (const row of statement.iterate()) {
      for (const value of row) {
        if (Buffer.isBuffer(value)) hash.update(value)
        else hash.update(`${typeof value}${String(value)}`)
        hash.update('\u0000')
      }
      rows++
    }
    digests[name] = { rows, digest: hash.digest().toString(16).padStart(16, '0') }
  }
  return digests
}
