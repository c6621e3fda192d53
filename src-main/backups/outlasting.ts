import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { openForReading } from '../database/connection.ts'
import { isUnreadable } from '../integrity/structure.ts'
import type { CopiesSetting } from './copies.ts'

/** What a restore does not take back, of the data that it replaces. */
export interface Outlasting {
  /** The last id that each table gave out: files of the outbox, exports and logs are named by them. */
  ids: Record<string, number>
  /** The next id of what has no such table, such as subscribers: links in messages name them. */
  nextIds: Record<string, number>
  /** Where encrypted copies of backups go, which belongs to the computer; left out where nothing tells. */
  copies?: CopiesSetting | null
}

export const nothingOutlasts: Outlasting = { ids: {}, nextIds: {} }

/**
 * Reads what outlasts a restore.
 * @param aside a copy of the data that is replaced, with its log beside it
 * @returns nothing of data that cannot be read
 */
export async function outlastingIn(aside: string): Promise<Outlasting> {
  const hadLog = existsSync(`${aside}-wal`)
  try {
    const database = openForReading(aside)
    try {
      const ids = database
        .prepare<[], { name: string; seq: number }>('SELECT name, seq FROM sqlite_sequence')
        .all()
      const nextIds = database
        .prepare<[], { name: string; next_id: number }>('SELECT name, next_id FROM id_sequences')
        .all()
      const copies = database
        .prepare<[], string>(`SELECT value FROM settings WHERE name = 'backup_copies'`)
        .pluck()
        .get()
      return {
        ids: Object.fromEntries(ids.map(({ name, seq }) => [name, seq])),
        nextIds: Object.fromEntries(nextIds.map(({ name, next_id }) => [name, next_id])),
        copies: copies === undefined ? null : (JSON.parse(copies) as CopiesSetting | null)
      }
    } finally {
      database.close()
    }
  } catch (error) {
    if (isUnreadable(error)) return nothingOutlasts
    throw error
  } finally {
    // What looking has left: the copy is what was there, and nothing else.
    for (const part of hadLog ? ['-shm'] : ['-shm', '-wal']) await rm(aside + part, { force: true })
  }
}

/** What outlasts several restores that follow each other without a start in between. */
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
