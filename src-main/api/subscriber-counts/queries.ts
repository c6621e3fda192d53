import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import { subscriberStatuses } from '../subscribers/schema.ts'
import type { StatusCounts, SubscriberCounts } from './schema.ts'
import { organizationRules } from '../organizations/queries.ts'

/** The stored counters of an organization and its lists (docs/api.md, "Counts"). */
export async function subscriberCounts(
  db: Kysely<Schema>,
  organization: { id: number; name: string }
): Promise<SubscriberCounts> {
  const lists = await db
    .selectFrom('mailing_lists')
    .select(['id', 'name'])
    .where('organization_id', '=', organization.id)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
  const perList = await countsPerList(db, organization.id)
  return {
    organization: { id: organization.id, name: organization.name },
    counts: sumOfCounts(perList.values()),
    mailing_lists: lists.map((list) => ({
      mailing_list: list,
      counts: perList.get(list.id) ?? zeroCounts()
    }))
  }
}

type CountRow = Pick<Selectable<Schema['mailing_list_counts']>, 'mailing_list_id' | 'status' | 'subscribers'>

/** The stored counters of an organization's lists. */
export async function countsPerList(
  db: Kysely<Schema>,
  organizationId: number
): Promise<Map<number, StatusCounts>> {
  return countsByList(
    await db
      .selectFrom('mailing_list_counts')
      .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_counts.mailing_list_id')
      .select(['mailing_list_id', 'status', 'subscribers'])
      .where('organization_id', '=', organizationId)
      .where('deleted_at', 'is', null)
      .execute()
  )
}

/** The counts of lists of any organization, by a range of ids. */
export async function countsOfLists(
  db: Kysely<Schema>,
  { from, to }: { from: number; to: number }
): Promise<Map<number, StatusCounts>> {
  return countsByList(
    await db
      .selectFrom('mailing_list_counts')
      .select(['mailing_list_id', 'status', 'subscribers'])
      .where('mailing_list_id', '>=', from)
      .where('mailing_list_id', '<=', to)
      .execute()
  )
}

function countsByList(rows: CountRow[]): Map<number, StatusCounts> {
  const perList = new Map<number, StatusCounts>()
  for (const { mailing_list_id: id, status, subscribers } of rows) {
    const counts = perList.get(id) ?? zeroCounts()
    counts[status] += subscribers
    perList.set(id, counts)
  }
  return perList
}

/** @returns the sum per status */
export function sumOfCounts(lists: Iterable<StatusCounts>): StatusCounts {
  const sum = zeroCounts()
  for (const counts of lists) for (const status of subscriberStatuses) sum[status] += counts[status]
  return sum
}

export function zeroCounts(): StatusCounts {
  return Object.fromEntries(subscriberStatuses.map((status) => [status, 0])) as StatusCounts
}

/** Returns how many subscribers the organization may still add; Infinity without a limit. */
export async function roomFor(db: Kysely<Schema>, organizationId: number): Promise<number> {
  const limit = await subscriberLimit(db, organizationId)
  if (limit === null) return Infinity
  return limit - (await subscribersOfOrganization(db, organizationId))
}

/** null = no limit. */
export async function subscriberLimit(db: Kysely<Schema>, organizationId: number): Promise<number | null> {
  return (await organizationRules(db, organizationId)).subscriber_limit
}

/** Counts the organization's subscribers on lists that are not deleted. */
export async function subscribersOfOrganization(db: Kysely<Schema>, organizationId: number): Promise<number> {
  const row = await db
    .selectFrom('mailing_list_counts')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_counts.mailing_list_id')
    .select((select) => select.fn.sum<number | null>('subscribers').as('total'))
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return row.total ?? 0
}
