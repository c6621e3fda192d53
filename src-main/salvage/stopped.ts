import type { Database } from 'better-sqlite3'
import type { LossList } from './losses.ts'

/** Jobs that must not continue by themselves on incomplete data, with their names. */
const steps = [
  {
    table: 'dispatches',
    affected: `SELECT campaign_id AS id, (SELECT name FROM campaigns WHERE id = campaign_id) AS name FROM dispatches
      WHERE state IN ('scheduled', 'sending') AND paused = 0`,
    stop: `UPDATE dispatches SET paused = 1 WHERE state IN ('scheduled', 'sending')`
  },
  ...['subscriber_imports', 'suppressed_address_imports'].map((table) => ({
    table,
    affected: `SELECT id, source_filename AS name FROM ${table} WHERE finished_at IS NULL`,
    stop: `UPDATE ${table} SET state = 'cancelled', finished_at = unixepoch() * 1000 WHERE finished_at IS NULL`
  })),
  {
    table: 'subscriber_exports',
    affected: `SELECT id, '' AS name FROM subscriber_exports WHERE finished_at IS NULL`,
    stop: `UPDATE subscriber_exports SET state = 'cancelled', finished_at = unixepoch() * 1000 WHERE finished_at IS NULL`
  },
  {
    table: 'bulk_actions',
    affected: `SELECT id, description AS name FROM bulk_actions WHERE state IN ('running', 'undoing')`,
    stop: `UPDATE bulk_actions SET state = 'cancelled', finished_at = unixepoch() * 1000 WHERE state IN ('running', 'undoing')`
  },
  {
    table: 'sync_remotes',
    affected: 'SELECT id, name FROM sync_remotes',
    stop: 'DELETE FROM sync_remotes'
  }
]

/** Stops what would go on by itself when the application starts: messages would be sent twice, or people removed elsewhere. */
export function stopWhatWasGoingOn(database: Database, losses: LossList): void {
  for (const { table, affected, stop } of steps) {
    for (const { id, name } of database.prepare<[], { id: number; name: string | null }>(affected).all())
      losses.add('stopped', table === 'dispatches' ? 'campaigns' : table, id, name ?? '')
    database.exec(stop)
  }
}
