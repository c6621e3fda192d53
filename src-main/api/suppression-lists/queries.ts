import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Kysely, type RawBuilder, type Selectable, sql, type SqlBool } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { SuppressionListsTable } from './tables.ts'
import { notFound } from '../../base/errors.ts'
import { systemOrganizationId } from '../organizations/rules.ts'
import { suppressionKeysOf } from './rules.ts'
import type { SuppressedAddress, SuppressionList } from './schema.ts'
import { offsetOf, type Page } from '../../http/pagination.ts'

export type SuppressionListRow = Selectable<SuppressionListsTable>

export function suppressionListsOf(
  db: Kysely<Schema>,
  organizationId: number
): Promise<SuppressionListRow[]> {
  return db
    .selectFrom('suppression_lists')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
}

/** @throws ApiError not_found */
export async function suppressionListById(
  db: Kysely<Schema>,
  organizationId: number,
  id: number
): Promise<SuppressionListRow> {
  const row = await db
    .selectFrom('suppression_lists')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  if (!row) throw notFound('suppression list', id)
  return row
}

export function presentSuppressionList(row: SuppressionListRow): SuppressionList {
  const { id, organization_id, name, mailing_list_id } = row
  const global = organization_id === systemOrganizationId && mailing_list_id === null
  return { id, organization_id, name, global, mailing_list_id }
}

export async function suppressedAddresses(
  db: Kysely<Schema>,
  list: SuppressionListRow,
  page: Page
): Promise<SuppressedAddress[]> {
  const offset = offsetOf(page)
  if (offset >= list.addresses) return []
  const rows = await db
    .selectFrom('suppressed_addresses')
    .select(['id', 'suppression_list_id', 'user_id', 'email', 'address_type'])
    .where('suppression_list_id', '=', list.id)
    .where('id', '>', await lastOfSkipped(db, list.id, offset))
    .orderBy('id')
    .limit(page.per_page)
    .execute()
  return rows.map((row) => ({ ...row, organization_id: list.organization_id }))
}

/** Addresses that are skipped before others have their turn: some 2 ms. */
const skippedAtOnce = 100_000

/** The id of the last of so many addresses from the beginning of a list, or of its last one; 0 for none. */
async function lastOfSkipped(db: Kysely<Schema>, listId: number, count: number): Promise<number> {
  let last = 0
  for (let left = count; left > 0; left -= skippedAtOnce) {
    const row = await db
      .selectFrom('suppressed_addresses')
      .select('id')
      .where('suppression_list_id', '=', listId)
      .where('id', '>', last)
      .orderBy('id')
      .limit(1)
      .offset(Math.min(left, skippedAtOnce) - 1)
      .executeTakeFirst()
    // Fewer rows exist than the counter said a moment ago.
    if (!row) return Number.MAX_SAFE_INTEGER
    last = row.id
    await nextTurn()
  }
  return last
}

/** The list and organization whose suppressions apply. */
export interface SuppressionScope {
  organizationId: number
  mailingListId: number
}

/** True for suppression lists that apply to a list: its own, its organization's and global ones. */
export function concernsList(mailingListId: RawBuilder<unknown>, organizationId: RawBuilder<unknown>) {
  return sql<SqlBool>`(suppression_lists.mailing_list_id = ${mailingListId} or (
    suppression_lists.mailing_list_id is null
    and suppression_lists.organization_id in (${organizationId}, ${sql.lit(systemOrganizationId)})
  ))`
}

/**
 * Returns which addresses are suppressed on a list, by its own suppression lists, the organization's and the
 * global ones.
 */
export async function suppressedAmong(
  db: Kysely<Schema>,
  { organizationId, mailingListId }: SuppressionScope,
  emails: string[]
): Promise<Set<string>> {
  const keysOf = new Map(emails.map((email) => [email, suppressionKeysOf(email)]))
  const found = await db
    .selectFrom('suppressed_addresses')
    .select('key')
    .distinct()
    .where('suppression_list_id', 'in', (select) =>
      select
        .selectFrom('suppression_lists')
        .select('id')
        .where(concernsList(sql`${mailingListId}`, sql`${organizationId}`))
    )
    .where('key', 'in', [...new Set([...keysOf.values()].flat())])
    .execute()
  const keys = new Set(found.map(({ key }) => key))
  return new Set(emails.filter((email) => keysOf.get(email)?.some((key) => keys.has(key))))
}

/** The suppression lists that keep an address from the messages of a list, by name. */
export function suppressionListsHolding(
  db: Kysely<Schema>,
  { organizationId, mailingListId }: SuppressionScope,
  email: string
): Promise<{ id: number; name: string }[]> {
  return db
    .selectFrom('suppression_lists')
    .select(['id', 'name'])
    .where(concernsList(sql`${mailingListId}`, sql`${organizationId}`))
    .where((where) =>
      where.exists(
        where
          .selectFrom('suppressed_addresses')
          .select('suppressed_addresses.id')
          .whereRef('suppression_list_id', '=', 'suppression_lists.id')
          .where('key', 'in', suppressionKeysOf(email))
      )
    )
    .orderBy('name')
    .execute()
}
