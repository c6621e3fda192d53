import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { SeedListsTable } from './tables.ts'
import { notFound } from '../../base/errors.ts'
import { type Complaint, complaint } from '../../base/refusal.ts'
import { formatTime } from '../../base/times.ts'
import type { Dependency } from '../../http/dependencies.ts'
import type { SeedList } from './schema.ts'

export type SeedListRow = Selectable<SeedListsTable>

export function seedListsOf(db: Kysely<Schema>, organizationId: number): Promise<SeedListRow[]> {
  return db
    .selectFrom('seed_lists')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
}

/**
 * Returns the ids of the seed lists in a request, without duplicates.
 * @param complain receives a sentence for each that does not exist
 */
export async function findSeedLists(
  db: Kysely<Schema>,
  organizationId: number,
  { ids, names }: { ids: number[]; names: string[] },
  complain: (fault: Complaint, input: 'ids' | 'names') => void
): Promise<number[]> {
  const all = await seedListsOf(db, organizationId)
  const found = new Set<number>()
  for (const id of ids) {
    if (all.some((each) => each.id === id)) found.add(id)
    else complain(complaint('seed_list_unknown', { id }), 'ids')
  }
  for (const name of names) {
    const match = all.find((each) => each.name_key === name.trim().toLowerCase())
    if (match) found.add(match.id)
    else complain(complaint('seed_list_not_named', { name }), 'names')
  }
  return [...found]
}

/** @throws ApiError not_found */
export async function seedListById(
  db: Kysely<Schema>,
  organizationId: number,
  id: number
): Promise<SeedListRow> {
  const row = await db
    .selectFrom('seed_lists')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  if (!row) throw notFound('seed list', id)
  return row
}

export async function listsWithSeedList(db: Kysely<Schema>, id: number): Promise<Dependency[]> {
  const lists = await db
    .selectFrom('mailing_list_seed_lists')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_seed_lists.mailing_list_id')
    .select(['mailing_lists.id', 'mailing_lists.name'])
    .where('seed_list_id', '=', id)
    .where('deleted_at', 'is', null)
    .orderBy('mailing_lists.id')
    .execute()
  return lists.map((list) => ({ type: 'mailing_list', ...list }))
}

export function presentSeedList(row: SeedListRow, timeZone: string): SeedList {
  return {
    id: row.id,
    name: row.name,
    addresses_array: JSON.parse(row.addresses) as string[],
    created_at: formatTime(row.created_at, timeZone),
    updated_at: formatTime(row.updated_at, timeZone),
    organization_id: row.organization_id
  }
}
