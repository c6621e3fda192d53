import SQLite, { type Database } from 'better-sqlite3'
import { existsSync, rmSync, statSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { moveDurably, writeDurably } from '../base/durable.ts'
import { StorageFault } from '../base/errors.ts'
import { openForReading } from '../database/connection.ts'
import { newestSchema } from '../database/migrate.ts'
import { type LastChange, LastChangeNotes, lastChangePath, notedLastChange } from '../database/last-change.ts'
import { giveUpSums, readSums, replaceSums, sumsPath } from '../database/page-sums.ts'
import { contentOfLog, type LogContent, type LogPosition, syncLog } from '../database/write-ahead-log.ts'
import { formatCount } from '../base/figures.ts'
import { isUnreadable, structuralFaults } from './structure.ts'
import { markerPath } from './marker.ts'
import { type OpenDatabase, sumsOf, verifyPages } from './verify-pages.ts'

/** Bytes of the notes of a page that was written once. */
const noteLength = 8

/**
 * Looks for what disks, people and other programs did to a database while nobody had it: its pages against what was written last, and
 * how far its change log goes. To be called while nothing is copied into the database.
 * @returns what is wrong, a sentence each
 */
export function examine({ databasePath, file }: OpenDatabase): string[] {
  const content = contentOfLog(databasePath)
  const { noted, unlike } = verifyPages({ databasePath, file }, content)
  const last = notedLastChange(databasePath)
  const hasSums = existsSync(sumsPath(databasePath))
  const hasLast = existsSync(lastChangePath(databasePath))
  // A database that was brought here alone has no notes yet.
  const hasNotes = hasLast || hasSums || existsSync(markerPath(dirname(databasePath)))
  const lostNotes = [
    ...(noted === 'damaged' || (!hasSums && hasNotes) ? [sumsPath(databasePath)] : []),
    ...(last === 'damaged' || (!hasLast && noted === 'pages') ? [lastChangePath(databasePath)] : [])
  ]
  return [
    ...lostNotes.map(
      (path) => `${path} is damaged or missing, so Listwright cannot tell whether the data is what it wrote.`
    ),
    ...(unlike.length > 0 ? [pagesSentence(unlike.length, tablesOf(databasePath, unlike))] : []),
    ...(typeof last === 'string' ? [] : lostChanges(databasePath, last, content))
  ]
}

/**
 * Whether the last changes are missing. Once something was written that cannot be told any more.
 * @returns what is wrong, a sentence each
 */
export function examineEnd(databasePath: string): string[] {
  const last = notedLastChange(databasePath)
  return typeof last === 'string' ? [] : lostChanges(databasePath, last, contentOfLog(databasePath))
}

/**
 * Notes the pages of a database of which nothing is noted yet, and shortens the notes of pages that were written often. To be called
 * while nothing is copied into the database.
 */
export async function prepareNotes({ databasePath, file }: OpenDatabase): Promise<void> {
  const noted = readSums(databasePath)
  if (typeof noted === 'string') return noteAsItIs({ databasePath, file })
  const { size } = statSync(sumsPath(databasePath))
  if (size > noted.length || size > 2 * noteLength * noted.pages) await replaceSums(databasePath, noted)
}

/** Where the log of a damaged database is kept as it was found first. */
export function logAsFound(databasePath: string): string {
  return `${databasePath}-wal-as-found`
}

/**
 * Prepares a damaged database for being looked at: its log is kept as it was found, since whoever looks adds to it.
 * @throws StorageFault damaged, where there is too little of it to be looked at
 */
export async function prepareDamaged(databasePath: string): Promise<void> {
  if (schemaOf(databasePath) < newestSchema) throw new StorageFault('damaged')
  const log = `${databasePath}-wal`
  const kept = logAsFound(databasePath)
  if (!existsSync(log) || existsSync(kept)) return
  await copyFile(log, `${kept}.part`)
  await moveDurably(`${kept}.part`, () => kept)
}

/** Reads the whole structure of a database, beside an application that writes. @returns what is wrong, a sentence each */
export function examineStructure(databasePath: string): string[] {
  return reading(databasePath, (database) => [...structuralFaults(database)])
}

/** From now on a database is right as it is. To be called while nothing is written. */
export async function noteAsItIs({ databasePath, file }: OpenDatabase): Promise<void> {
  // One without the other tells that somebody removed it.
  if (!existsSync(lastChangePath(databasePath))) await writeDurably(lastChangePath(databasePath), '\0')
  await replaceSums(databasePath, sumsOf(file))
  const end = { changeLogId: endOfChangeLog(databasePath), log: contentOfLog(databasePath).end }
  // What is noted as there must not be lost when the power fails.
  syncLog(databasePath)
  const last = new LastChangeNotes(databasePath)
  try {
    last.note(end, true)
  } finally {
    last.close()
  }
  rmSync(logAsFound(databasePath), { force: true })
}

/** Nothing of a database is noted any more, as before another takes its place. */
export function forgetNotes(databasePath: string): void {
  // In this order: how far the data went is noted after the pages, and is not there without them.
  rmSync(lastChangePath(databasePath), { force: true })
  giveUpSums(databasePath)
}

function pagesSentence(pages: number, tables: string[]): string {
  const changed = 'not what Listwright wrote last: a disk, a person or another program changed'
  const names = tables.join(', ')
  if (pages === 1)
    return `1 page of the database is ${changed} it.${names && ` It holds a part of: ${names}.`}`
  const number = formatCount(pages)
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

function lostChanges(databasePath: string, last: LastChange, { end }: LogContent): string[] {
  try {
    const lost = last.changeLogId - endOfChangeLog(databasePath)
    if (lost > 0) {
      const changes = lost === 1 ? 'The last change is' : `The last ${formatCount(lost)} changes are`
      return [
        `${changes} missing: the database is an older copy, or its log (${databasePath}-wal) was removed or truncated.`
      ]
    }
    return last.log && !reaches(end, last.log)
      ? [
          `The last changes are missing: the log of the database (${databasePath}-wal) was removed, truncated or damaged.`
        ]
      : []
  } catch (error) {
    if (isUnreadable(error)) return [`The database cannot be read: ${error.message}.`]
    throw error
  }
}

/**
 * How often a log may have started over since it was noted, which happens with each commit that somebody waits for: an import of many
 * days comes nowhere near. The count of another log begins anywhere.
 */
const maxBegunAnew = 65_536

/** Whether the log still goes as far as was noted, or has started over since, which it does only after all of it was copied. */
function reaches(end: LogPosition | null, noted: LogPosition): boolean {
  if (end === null) return false
  if (end.salts === noted.salts) return end.frames >= noted.frames
  const begunAnew = Number(BigInt.asUintN(32, (end.salts >> 32n) - (noted.salts >> 32n)))
  return begunAnew > 0 && begunAnew <= maxBegunAnew
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
