import { existsSync, statSync } from 'node:fs'
import { writeDurably } from '../base/durable.ts'
import { markerPath } from '../integrity/marker.ts'
import { DataUnusable, lastGoodBackup } from './unusable-data.ts'
import { databasePathIn } from '../database/database-path.ts'

// A missing database is not treated as a first start: all data would seem lost, and new data would be written
// in its place.

/**
 * @throws DataUnusable, with the possible remedies, if the directory once had a database that is now
 * missing or empty
 */
export function requirePresence(dataDirectory: string): void {
  if (!existsSync(markerPath(dataDirectory))) return
  const path = databasePathIn(dataDirectory)
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size !== undefined && size > 0) return
  const backup = lastGoodBackup(dataDirectory)
  throw new DataUnusable(
    `The database ${path} is ${size === 0 ? 'empty' : 'missing'}, although Listwright has stored data there before.`,
    [
      `Put it back${backup === undefined ? '' : `, or restore a backup: listwright backup restore ${backup.name}`}.`,
      `To start over, choose another folder with --data-dir, or remove ${markerPath(dataDirectory)}.`
    ],
    { backup, canRecover: false }
  )
}

/** Records that a database exists, once it was opened. */
export async function recordPresence(dataDirectory: string): Promise<void> {
  const path = markerPath(dataDirectory)
  if (existsSync(path)) return
  await writeDurably(path, 'Listwright keeps its data in this folder.\n')
}
