import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import { blocksPerGroup, idsPerBlock } from './tally.ts'

/** A counter that differs from the records. */
export interface Drift {
  /** The counted things, as the rest of a sentence. */
  counter: string
  kept: number
  found: number
}

export interface Recount {
  subscribers: number
  suppressedAddresses: number
  events: number
  drifts: Drift[]
}

/** A counter of a campaign's content or link that differs from its events. */
export interface CounterDrift {
  /** The content or the link. */
  id: number
  name: string
  kept: number
  found: number
}

/** Recounts everything that has a stored counter, on one snapshot of the data. */
export function recount(db: Kysely<Schema>): Promise<Recount> {
  return db.transaction().execute(async (moment) => ({
    subscribers: await countOf(moment, 'subscribers'),
    suppressedAddresses: await countOf(moment, 'suppressed_addresses'),
    events: await countOf(moment, 'stat_events'),
    drifts: [
      ...(await driftsOfStatuses(moment)),
      ...(await driftsOfBlocks(moment, 'subscriber_blocks', 'block', idsPerBlock)),
      ...(await driftsOfBlocks(
        moment,
        'subscriber_block_groups',
        'block_group',
        idsPerBlock * blocksPerGroup
      )),
      ...(await driftsOfSuppressionLists(moment)),
      ...(await sentencesOfStatistics(moment)),
      ...(await driftsOfLinks(moment)).map(({ id, name, ...drift }) => ({
        counter: `${name} of link ${id}`,
        ...drift
      }))
    ]
  }))
}

async function countOf(
  db: Kysely<Schema>,
  table: 'subscribers' | 'suppressed_addresses' | 'stat_events'
): Promise<number> {
  const { total } = await db
    .selectFrom(table)
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

async function driftsOfStatuses(db: Kysely<Schema>): Promise<Drift[]> {
  const { rows } = await sql<Drift>`
    WITH found AS (
      SELECT mailing_list_id, status, count(*) AS subscribers FROM subscribers GROUP BY mailing_list_id, status
    )
    SELECT 'subscribers of mailing list ' || coalesce(kept.mailing_list_id, found.mailing_list_id) || ' that are '
        || coalesce(kept.status, found.status) AS counter,
      coalesce(kept.subscribers, 0) AS kept, coalesce(found.subscribers, 0) AS found
    FROM mailing_list_counts AS kept
    FULL JOIN found ON found.mailing_list_id = kept.mailing_list_id AND found.status = kept.status
    WHERE coalesce(kept.subscribers, 0) <> coalesce(found.subscribers, 0)`.execute(db)
  return rows
}

async function driftsOfBlocks(
  db: Kysely<Schema>,
  table: 'subscriber_blocks' | 'subscriber_block_groups',
  column: 'block' | 'block_group',
  ids: number
): Promise<Drift[]> {
  const { rows } = await sql<Drift>`
    WITH found AS (
      SELECT mailing_list_id, id / ${sql.lit(ids)} AS number, count(*) AS subscribers FROM subscribers
      GROUP BY mailing_list_id, number
    )
    SELECT 'subscribers of mailing list ' || coalesce(kept.mailing_list_id, found.mailing_list_id)
        || ' with ids from ' || (coalesce(kept.${sql.ref(column)}, found.number) * ${sql.lit(ids)}) AS counter,
      coalesce(kept.subscribers, 0) AS kept, coalesce(found.subscribers, 0) AS found
    FROM ${sql.table(table)} AS kept
    FULL JOIN found ON found.mailing_list_id = kept.mailing_list_id AND found.number = kept.${sql.ref(column)}
    WHERE coalesce(kept.subscribers, 0) <> coalesce(found.subscribers, 0)`.execute(db)
  return rows
}

async function driftsOfSuppressionLists(db: Kysely<Schema>): Promise<Drift[]> {
  const { rows } = await sql<Drift>`
    SELECT 'addresses of suppression list ' || id AS counter, addresses AS kept, found FROM (
      SELECT id, addresses, (SELECT count(*) FROM suppressed_addresses WHERE suppression_list_id = list.id) AS found
      FROM suppression_lists AS list
    )
    WHERE addresses <> found`.execute(db)
  return rows
}

/** The contents of deleted campaigns, whose events are deleted while their counters stay. */
const deletedSlices = sql`
  SELECT stat_slices.id FROM stat_slices JOIN stats ON stats.id = stat_id JOIN campaigns ON campaigns.id = campaign_id
  JOIN mailing_lists ON mailing_lists.id = campaigns.mailing_list_id
  WHERE campaigns.deleted_at IS NOT NULL OR mailing_lists.deleted_at IS NOT NULL`

/**
 * Finds counters that differ from stat_events. Messages sent leave no events, and deleted campaigns and lists
 * lose theirs, so those are left out.
 */
export async function driftsOfStatistics(db: Kysely<Schema>): Promise<CounterDrift[]> {
  const { rows } = await sql<CounterDrift>`
    WITH found AS (
      SELECT stat_slice_id, type || 's_total' AS name, count(*) AS events FROM stat_events GROUP BY 1, type
      UNION ALL
      SELECT stat_slice_id, type || 's_unique', sum(is_unique) FROM stat_events
        WHERE type IN ('open', 'click', 'unsub', 'scomp') GROUP BY 1, type
    ), kept AS (
      SELECT stat_slice_id, 'opens_total' AS name, sum(opens_total) AS events FROM stat_counters GROUP BY 1
      UNION ALL SELECT stat_slice_id, 'opens_unique', sum(opens_unique) FROM stat_counters GROUP BY 1
      UNION ALL SELECT stat_slice_id, 'clicks_total', sum(clicks_total) FROM stat_counters GROUP BY 1
      UNION ALL SELECT stat_slice_id, 'clicks_unique', sum(clicks_unique) FROM stat_counters GROUP BY 1
      UNION ALL SELECT stat_slice_id, 'unsubs_total', sum(unsubs_total) FROM stat_counters GROUP BY 1
      UNION ALL SELECT stat_slice_id, 'unsubs_unique', sum(unsubs_unique) FROM stat_counters GROUP BY 1
      UNION ALL SELECT stat_slice_id, 'scomps_total', sum(scomps_total) FROM stat_counters GROUP BY 1
      UNION ALL SELECT stat_slice_id, 'scomps_unique', sum(scomps_unique) FROM stat_counters GROUP BY 1
      UNION ALL SELECT stat_slice_id, 'bounces_total', sum(bounces_total) FROM stat_counters GROUP BY 1
    )
    SELECT coalesce(kept.stat_slice_id, found.stat_slice_id) AS id, coalesce(kept.name, found.name) AS name,
      coalesce(kept.events, 0) AS kept, coalesce(found.events, 0) AS found
    FROM kept FULL JOIN found ON found.stat_slice_id = kept.stat_slice_id AND found.name = kept.name
    WHERE coalesce(kept.events, 0) <> coalesce(found.events, 0)
      AND coalesce(kept.stat_slice_id, found.stat_slice_id) NOT IN (${deletedSlices})`.execute(db)
  return rows
}

async function sentencesOfStatistics(db: Kysely<Schema>): Promise<Drift[]> {
  const drifts = await driftsOfStatistics(db)
  const slices = await db
    .selectFrom('stat_slices')
    .select(['id', 'content_id'])
    .where(
      'id',
      'in',
      drifts.map(({ id }) => id)
    )
    .execute()
  const contents = new Map(slices.map(({ id, content_id }) => [id, content_id]))
  return drifts.map(({ id, name, ...drift }) => ({
    counter: `${name} of content ${contents.get(id) ?? 0}`,
    ...drift
  }))
}

/** Without deleted campaigns, as above. */
export async function driftsOfLinks(db: Kysely<Schema>): Promise<CounterDrift[]> {
  const { rows } = await sql<CounterDrift>`
    WITH found AS (
      SELECT link_id, count(*) AS total, sum(is_unique) AS firsts, sum(is_unique_of_link) AS firsts_of_link
      FROM stat_events WHERE link_id IS NOT NULL GROUP BY link_id
    ), compared AS (
      SELECT id, stat_slice_id, 'clicks_total' AS name, clicks_total AS kept, total AS found
      FROM stat_links LEFT JOIN found ON link_id = id
      UNION ALL SELECT id, stat_slice_id, 'clicks_unique', clicks_unique, firsts FROM stat_links LEFT JOIN found ON link_id = id
      UNION ALL SELECT id, stat_slice_id, 'clicks_unique_by_link', clicks_unique_by_link, firsts_of_link
      FROM stat_links LEFT JOIN found ON link_id = id
    )
    SELECT id, name, kept, coalesce(found, 0) AS found FROM compared
    WHERE kept <> coalesce(found, 0)
      AND stat_slice_id NOT IN (${deletedSlices})`.execute(db)
  return rows
}
