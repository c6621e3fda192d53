import type { Database } from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { openForReading } from '../database/connection.ts'
import { isUnreadable } from '../integrity/structure.ts'
import type { CopiesSetting } from './copies.ts'

/** Values that a restore does not revert, taken from the replaced data. */
export interface Outlasting {
  /** The last id that each table gave out: files of the outbox, exports and logs are named by them. */
  ids: Record<string, number>
  /** The next ids of tables without such a counter, such as subscribers: links in messages name them. */
  nextIds: Record<string, number>
  /** The setting for encrypted copies, which belongs to the computer; undefined = unknown. */
  copies?: CopiesSetting | null
}

export const nothingOutlasts: Outlasting = { ids: {}, nextIds: {} }

/** Ids above this were never allocated but written by something else. */
const impossible = 2 ** 48

/**
 * Reads what outlasts a restore.
 * @param aside a copy of the data that is replaced, with its log beside it
 * @returns as much as can be read
 */
export async function outlastingIn(aside: string): Promise<Outlasting> {
  const hadLog = existsSync(`${aside}-wal`)
  try {
    const database = openForReading(aside)
    try {
      const copies = copiesIn(database)
      return {
        ids: idsIn(database, 'SELECT name, seq FROM sqlite_sequence'),
        nextIds: idsIn(
          database,
          `SELECT name, max(next_id) FROM (SELECT name, next_id FROM id_sequences
             UNION ALL SELECT 'organizations', max(id) + 1 FROM organizations) GROUP BY name`
        ),
        ...(copies !== undefined && { copies })
      }
    } finally {
      database.close()
    }
  } catch (error) {
    if (isUnreadable(error)) return nothingOutlasts
    throw error
  } finally {
    // Opening the database creates these files; the copy keeps only what was there before.
    for (const part of hadLog ? ['-shm'] : ['-shm', '-wal']) await rm(aside + part, { force: true })
  }
}

function idsIn(database: Database, select: string): Record<string, number> {
  try {
    const rows = database.prepare<[], [name: unknown, id: unknown]>(select).raw().all()
    return Object.fromEntries(
      rows.filter((row): row is [string, number] => {
        const [name, id] = row
        return typeof name === 'string' && Number.isSafeInteger(id) && Number(id) < impossible
      })
    )
  } catch (error) {
    if (isUnreadable(error)) return {}
    throw error
  }
}

/** @returns undefined if unknown */
function copiesIn(database: Database): CopiesSetting | null | undefined {
  try {
    const value = database
      .prepare<[], string>(`SELECT value FROM settings WHERE name = 'backup_copies'`)
      .pluck()
      .get()
    return value === undefined ? null : (JSON.parse(value) as CopiesSetting | null)
  } catch (error) {
    if (isUnreadable(error) || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Combines the values of several restores without a start in between. */
export function bothOutlasting(earlier: Outlasting, later: Outlasting): Outlasting {
  return {
    ...later,
    ...earlier,
    ids: highest(earlier.ids, later.ids),
    nextIds: highest(earlier.nextIds, later.nextIds)
  }
}

function highest(one: Record<string, number>, other: Record<string, number>): Record<string, number> {
  const names = Object.keys({ ...one, ...other })
  return Object.fromEntries(names.map((name) => [name, Math.max(one[name] ?? 0, other[name] ?? 0)]))
}
