import SQLite, { type Database } from 'better-sqlite3'
import { existsSync, rmSync, statSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { moveDurably, writeDurably } from '../base/durable.ts'
import { StorageFault } from '../base/errors.ts'
import { openForReading } from '../database/connection.ts'
import { newestSchema } from '../database/migrate.ts'
import { type LastChange, LastChangeNotes, lastChangePath, notedLastChange } from '../database/last-change.ts'
import { markSumsUnknown, readSums, replaceSums, sumsPath } from '../database/page-sums.ts'
import { contentOfLog, type LogContent, type LogPosition, syncLog } from '../database/write-ahead-log.ts'
import { formatCount } from '../base/figures.ts'
import { isUnreadable, structuralFaults } from './structure.ts'
import { markerPath } from './marker.ts'
import { type OpenDatabase, sumsOf, verifyPages } from './verify-pages.ts'

/** Bytes of the notes of a page that was written once. */
const noteLength = 8

/**
 * Finds what disks, users and other programs changed in a database that was closed: compares its pages with
 * their stored checksums, and the end of its change log. Nothing may be copied from the log meanwhile.
 * @returns the faults as sentences
 */
export function examineDatabase({ databasePath, file }: OpenDatabase): string[] {
  const content = contentOfLog(databasePath)
  const { noted, unlike } = verifyPages({ databasePath, file }, content)
  const last = notedLastChange(databasePath)
  const hasSums = existsSync(sumsPath(databasePath))
  const hasLast = existsSync(lastChangePath(databasePath))
  // A database that was copied here alone has no checksums and no position yet.
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
 * Checks whether the last changes are missing, which cannot be detected after further writes.
 * @returns the faults as sentences
 */
export function examineEnd(databasePath: string): string[] {
  const last = notedLastChange(databasePath)
  return typeof last === 'string' ? [] : lostChanges(databasePath, last, contentOfLog(databasePath))
}

/**
 * Stores the checksums of a database that has none, and compacts those of pages that were written often.
 * Nothing may be copied from the log meanwhile.
 */
export async function prepareNotes({ databasePath, file }: OpenDatabase): Promise<void> {
  const noted = readSums(databasePath)
  if (typeof noted === 'string') return acceptAsItIs({ databasePath, file })
  const { size } = statSync(sumsPath(databasePath))
  if (size > noted.length || size > 2 * noteLength * noted.pages) await replaceSums(databasePath, noted)
}

/** Returns where the original log of a damaged database is stored. */
export function logAsFound(databasePath: string): string {
  return `${databasePath}-wal-as-found`
}

/**
 * Prepares a damaged database for reading: copies its log first, since readers append to it.
 * @throws StorageFault damaged if too little is left to read
 */
export async function prepareDamaged(databasePath: string): Promise<void> {
  if (schemaOf(databasePath) < newestSchema) throw new StorageFault('damaged')
  const log = `${databasePath}-wal`
  const kept = logAsFound(databasePath)
  if (!existsSync(log) || existsSync(kept)) return
  await copyFile(log, `${kept}.part`)
  await moveDurably(`${kept}.part`, () => kept)
}

/**
 * Checks the structure of a database while the application writes.
 * @returns the faults as sentences
 */
export function examineStructure(databasePath: string): string[] {
  return reading(databasePath, (database) => [...structuralFaults(database)])
}

/** Accepts a database as it is. Nothing may write meanwhile. */
export async function acceptAsItIs({ databasePath, file }: OpenDatabase): Promise<void> {
  // If only one of them exists, the other was deleted.
  if (!existsSync(lastChangePath(databasePath))) await writeDurably(lastChangePath(databasePath), '\0')
  await replaceSums(databasePath, sumsOf(file))
  const end = { changeLogId: endOfChangeLog(databasePath), log: contentOfLog(databasePath).end }
  // The log must be durable before the position that refers to it.
  syncLog(databasePath)
  const last = new LastChangeNotes(databasePath)
  try {
    last.note(end, true)
  } finally {
    last.close()
  }
  rmSync(logAsFound(databasePath), { force: true })
}

/** Deletes the stored checksums before another database takes its place. */
export function deleteChecksums(databasePath: string): void {
  // In this order: the position is stored after the checksums, and must not exist without them.
  rmSync(lastChangePath(databasePath), { force: true })
  markSumsUnknown(databasePath)
}

function pagesSentence(pages: number, tables: string[]): string {
  const changed = 'not what Listwright wrote last: a disk, a person or another program changed'
  const names = tables.join(', ')
  if (pages === 1)
    return `1 page of the database is ${changed} it.${names && ` It holds a part of: ${names}.`}`
  const number = formatCount(pages)
  return `${number} pages of the database are ${changed} them.${names && ` They hold parts of: ${names}.`}`
}

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
 * How often a log may have restarted since it was noted. It restarts with each commit that a caller waits
 * for, and an import of many days stays far below; another log's count is arbitrary.
 */
const maxBegunAnew = 65_536

/**
 * True if the log still reaches the noted position, or has restarted since, which happens only after all of
 * it was copied.
 */
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
