import SQLite, { type Database } from 'better-sqlite3'
import { existsSync, rmSync, statSync } from 'node:fs'
import { structuralFaults } from '../backups/verify.ts'
import { copyFile } from 'node:fs/promises'
import { messageOf, StorageFault } from '../base/errors.ts'
import { openForReading } from '../database/connection.ts'
import { newestSchema } from '../database/migrate.ts'
import { LastChange, lastChangePath, notedLastChange } from '../database/last-change.ts'
import { readSums, replaceSums, sumsPath } from '../database/page-sums.ts'
import { type OpenDatabase, sumsOf, verifyPages } from './verify-pages.ts'

/** A database, and how it was left. */
export interface Examined extends OpenDatabase {
  /** Whether the application that had it last was ended in the middle. */
  wasCutOff: boolean
}

/** Bytes of the notes of a page that was written once. */
const noteLength = 8

/**
 * Looks for what disks, people and other programs did to a database while nobody had it: its pages against what was written last, and
 * how far its change log goes. To be called while nothing is copied into the database.
 * @returns what is wrong, a sentence each
 */
export function examine({ databasePath, file, wasCutOff }: Examined): string[] {
  const { noted, unlike } = verifyPages({ databasePath, file })
  return [
    ...(noted === 'damaged'
      ? [
          `${sumsPath(databasePath)} is damaged, so it cannot be told whether the database is what Listwright wrote.`
        ]
      : []),
    ...(unlike.length > 0 ? [pagesSentence(unlike.length, tablesOf(databasePath, unlike))] : []),
    // One that was put back from a backup has none.
    ...(wasCutOff && noted !== 'nothing' && !existsSync(`${databasePath}-wal`)
      ? [
          `${databasePath}-wal is gone, and with it what was changed right before the application was cut off.`
        ]
      : []),
    ...lostChanges(databasePath)
  ]
}

/**
 * Notes the pages of a database of which nothing is noted yet, and shortens the notes of pages that were written often. To be called
 * while nothing is copied into the database.
 */
export async function prepareNotes({ databasePath, file }: OpenDatabase): Promise<void> {
  const noted = readSums(databasePath)
  if (!noted) return replaceSums(databasePath, sumsOf(file))
  const { size } = statSync(sumsPath(databasePath))
  if (size > noted.length || size > 2 * noteLength * noted.pages) await replaceSums(databasePath, noted)
}

/**
 * Prepares a damaged database for being looked at: its log is kept as it was found, since whoever looks adds to it.
 * @throws StorageFault damaged, where there is too little of it to be looked at
 */
export async function prepareDamaged(databasePath: string): Promise<void> {
  if (schemaOf(databasePath) !== newestSchema) throw new StorageFault('damaged')
  const log = `${databasePath}-wal`
  const kept = `${log}-as-found`
  if (existsSync(log) && !existsSync(kept)) await copyFile(log, kept)
}

/** Reads the whole structure of a database, beside an application that writes. @returns what is wrong, a sentence each */
export function examineStructure(databasePath: string): string[] {
  return reading(databasePath, (database) => [...structuralFaults(database)])
}

/** From now on a database is right as it is. To be called while nothing is written. */
export async function noteAsItIs({ databasePath, file }: OpenDatabase): Promise<void> {
  await replaceSums(databasePath, sumsOf(file))
  const last = new LastChange(databasePath)
  last.note(endOfChangeLog(databasePath))
  last.close()
}

/** Nothing of a database is noted any more, as before another takes its place. */
export function forgetNotes(databasePath: string): void {
  rmSync(sumsPath(databasePath), { force: true })
  rmSync(lastChangePath(databasePath), { force: true })
}

function pagesSentence(pages: number, tables: string[]): string {
  const changed = 'not what Listwright wrote last: a disk, a person or another program changed'
  const names = tables.join(', ')
  if (pages === 1)
    return `1 page of the database is ${changed} it.${names && ` It holds a part of: ${names}.`}`
  const number = pages.toLocaleString('en-US')
  return `${number} pages of the database are ${changed} them.${names && ` They hold parts of: ${names}.`}`
}

/** The tables that pages belong to, as far as the database still tells. */
function tablesOf(databasePath: string, pages: number[]): string[] {
  try {
    return reading(databasePath, (database) =>
      database
        .prepare<[string], string>(
          `SELECT DISTINCT coalesce(tbl_name, dbstat.name) FROM dbstat LEFT JOIN sqlite_schema ON sqlite_schema.name = dbstat.name
           WHERE pageno IN (SELECT value FROM json_each(?)) ORDER BY 1`
        )
        .pluck()
        .all(JSON.stringify(pages))
    )
  } catch (error) {
    if (error instanceof SQLite.SqliteError) return []
    throw error
  }
}

function lostChanges(databasePath: string): string[] {
  const noted = notedLastChange(databasePath)
  if (noted === 0) return []
  try {
    const lost = noted - endOfChangeLog(databasePath)
    if (lost <= 0) return []
    const changes = lost === 1 ? 'The last change is' : `The last ${lost.toLocaleString('en-US')} changes are`
    return [
      `${changes} missing: the database is an older copy, or its log (${databasePath}-wal) was removed or cut off.`
    ]
  } catch (error) {
    return [`The database cannot be read: ${messageOf(error)}.`]
  }
}

function endOfChangeLog(databasePath: string): number {
  return reading(
    databasePath,
    (database) => database.prepare<[], number | null>('SELECT max(id) FROM change_log').pluck().get() ?? 0
  )
}

function schemaOf(databasePath: string): number {
  return reading(databasePath, (database) => database.pragma('user_version', { simple: true }) as number)
}

function reading<Result>(databasePath: string, read: (database: Database) => Result): Result {
  const database = openForReading(databasePath)
  try {
    return read(database)
  } finally {
    database.close()
  }
}
