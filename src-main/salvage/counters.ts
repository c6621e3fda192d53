import type { Database } from 'better-sqlite3'
import { type CounterDrift, driftsOfLinks, driftsOfStatistics } from '../api/subscriber-counts/recount.ts'
import { blocksPerGroup, idsPerBlock } from '../api/subscriber-counts/tally.ts'
import { kyselyOver } from '../database/connection.ts'
import type { DamagedPages } from './pages.ts'
import type { SourceTable } from './source.ts'
import { rowsOfTree } from './trees.ts'

/** Tables that are recounted, not copied. */
export const countedTables = ['mailing_list_counts', 'subscriber_blocks', 'subscriber_block_groups']

/**
 * Returns how many subscribers there were, as far as the counters of the damaged database are readable and
 * plausible.
 */
export function countedSubscribers(pages: DamagedPages, tables: readonly SourceTable[]): number {
  const counts = tables.find(({ name }) => name === 'mailing_list_counts')
  if (!counts || counts.root === null) return 0
  const at = counts.columns.findIndex(({ name }) => name === 'subscribers')
  let sum = 0
  for (const { values, isDoubtful } of rowsOfTree(pages, counts.root)) {
    const counted = values[at]
    if (!isDoubtful && typeof counted === 'number') sum += counted
  }
  return sum
}

export function subscribersIn(database: Database): number {
  return database.prepare<[], number>('SELECT count(*) FROM subscribers').pluck().get() ?? 0
}

/** Milliseconds. */
const hour = 60 * 60 * 1000

export async function countAgain(database: Database, handedOut: ReadonlyMap<string, number>): Promise<void> {
  database.exec(`
    INSERT INTO mailing_list_counts (mailing_list_id, status, subscribers)
      SELECT mailing_list_id, status, count(*) FROM subscribers GROUP BY 1, 2;
    INSERT INTO subscriber_blocks (mailing_list_id, block, subscribers)
      SELECT mailing_list_id, id / ${idsPerBlock}, count(*) FROM subscribers GROUP BY 1, 2;
    INSERT INTO subscriber_block_groups (mailing_list_id, block_group, subscribers)
      SELECT mailing_list_id, id / ${idsPerBlock * blocksPerGroup}, count(*) FROM subscribers GROUP BY 1, 2;
    UPDATE suppression_lists SET addresses =
      (SELECT count(*) FROM suppressed_addresses WHERE suppression_list_id = suppression_lists.id);
    INSERT INTO id_sequences (name, next_id) SELECT 'subscribers', 1 + max(
        (SELECT coalesce(max(id), 0) FROM subscribers),
        (SELECT coalesce(max(last_id), 0) FROM change_log WHERE entity = 'subscriber'),
        (SELECT coalesce(max(subscriber_id), 0) FROM stat_events))
      WHERE true
      ON CONFLICT DO UPDATE SET next_id = max(next_id, excluded.next_id);
  `)
  const db = kyselyOver(database)
  for (const drift of await driftsOfStatistics(db)) settle(database, drift)
  for (const { id, name, found } of await driftsOfLinks(db))
    database.prepare(`UPDATE stat_links SET ${name} = ? WHERE id = ?`).run(found, id)
  const remember = database.prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?')
  const begin = database.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)')
  for (const [table, last] of handedOut) if (remember.run(last, table).changes === 0) begin.run(table, last)
}

/** Sets a content's counters to what its events say, in their last hour. */
function settle(database: Database, { id, name, kept, found }: CounterDrift): void {
  const missing = found - kept
  if (missing > 0) {
    database
      .prepare(
        `INSERT INTO stat_counters (stat_slice_id, hour, ${name})
         SELECT @id, coalesce((SELECT max(hour) FROM stat_counters WHERE stat_slice_id = @id),
           (SELECT min(occurred_at) / ${hour} * ${hour} FROM stat_events WHERE stat_slice_id = @id)), @missing
         ON CONFLICT DO UPDATE SET ${name} = ${name} + excluded.${name}`
      )
      .run({ id, missing })
    return
  }
  const hours = database
    .prepare<[number], { hour: number; counted: number }>(
      `SELECT hour, ${name} AS counted FROM stat_counters WHERE stat_slice_id = ? AND ${name} > 0 ORDER BY hour DESC`
    )
    .all(id)
  let surplus = -missing
  for (const { hour: at, counted } of hours) {
    const less = Math.min(surplus, counted)
    database
      .prepare(`UPDATE stat_counters SET ${name} = ${name} - ? WHERE stat_slice_id = ? AND hour = ?`)
      .run(less, id, at)
    surplus -= less
  }
}
