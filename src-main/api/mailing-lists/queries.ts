import type { Kysely, Selectable } from 'kysely'
import type { MailingListsTable } from './tables.ts'
import { remembered } from '../../database/remembered.ts'
import type { Schema } from '../../database/schema.ts'
import { ApiError, notFound } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { presentValue, type StoredValues } from '../custom-fields/rules.ts'
import { fieldsOfList } from '../custom-fields/queries.ts'
import { type PresentedReferences, referencePresenter } from './references.ts'
import type { MailingList } from './schema.ts'
import { compiledQuery } from '../../database/compiled-query.ts'

export type MailingListRow = Selectable<MailingListsTable>

const listOf = compiledQuery<{ organizationId: number; id: number }, MailingListRow>((db, value) =>
  db
    .selectFrom('mailing_lists')
    .selectAll()
    .where('id', '=', value('id'))
    .where('organization_id', '=', value('organizationId'))
    .where('deleted_at', 'is', null)
)

/** @throws ApiError not_found, also for a deleted list */
export async function mailingListById(
  db: Kysely<Schema>,
  organizationId: number,
  id: number
): Promise<MailingListRow> {
  const [row] = await remembered(db, `list ${organizationId} ${id}`, () => listOf(db, { organizationId, id }))
  if (!row) throw notFound('mailing list', id)
  return row
}

/**
 * Like {@link mailingListById}, for what Remote Lists lack (docs/api.md, "Remote Lists").
 * @param what the requested part, such as "subscribers"
 * @throws ApiError not_found; invalid_request for a Remote List
 */
export async function localListById(
  db: Kysely<Schema>,
  organizationId: number,
  id: number,
  what: string
): Promise<MailingListRow> {
  const row = await mailingListById(db, organizationId, id)
  if (row.is_remote_list === 1) {
    throw new ApiError('invalid_request', refusal('remote_list_has_none', { id, what }))
  }
  return row
}

function listsOf(db: Kysely<Schema>, organizationId: number) {
  return db
    .selectFrom('mailing_lists')
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
}

export function mailingListsOf(db: Kysely<Schema>, organizationId: number): Promise<MailingListRow[]> {
  return listsOf(db, organizationId).selectAll().orderBy('id').execute()
}

export function mailingListNames(
  db: Kysely<Schema>,
  organizationId: number
): Promise<{ id: number; name: string }[]> {
  return listsOf(db, organizationId).select(['id', 'name']).execute()
}

/** A list with its organization. */
export interface ListOfOrganization {
  id: number
  name: string
  organization: { id: number; name: string }
}

/**
 * Returns the lists of one organization, or with null of all, by id.
 * @throws ApiError not_found if the organization does not exist
 */
export async function listsAcross(
  db: Kysely<Schema>,
  organizationId: number | null
): Promise<ListOfOrganization[]> {
  const organizations = await db
    .selectFrom('organizations')
    .select(['id', 'name'])
    .$if(organizationId !== null, (query) => query.where('id', '=', organizationId))
    .execute()
  if (organizations.length === 0) throw notFound('organization', organizationId ?? '')
  const nameOf = new Map(organizations.map(({ id, name }) => [id, name]))
  const lists = await db
    .selectFrom('mailing_lists')
    .select(['id', 'name', 'organization_id'])
    .where('organization_id', 'in', [...nameOf.keys()])
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
  return lists.map((list) => ({
    id: list.id,
    name: list.name,
    organization: { id: list.organization_id, name: nameOf.get(list.organization_id) ?? '' }
  }))
}

/** True if a list, or with null any list of the organization, has a subscriber. */
export async function hasSubscribers(
  db: Kysely<Schema>,
  organizationId: number,
  mailingListId: number | null
): Promise<boolean> {
  let query = db
    .selectFrom('mailing_list_counts')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_counts.mailing_list_id')
    .select('mailing_list_counts.mailing_list_id')
    .where('mailing_lists.organization_id', '=', organizationId)
    .where('mailing_list_counts.subscribers', '>', 0)
    .limit(1)
  if (mailingListId !== null) query = query.where('mailing_lists.id', '=', mailingListId)
  return (await query.executeTakeFirst()) !== undefined
}

export async function subscriberTotal(db: Kysely<Schema>, mailingListId: number): Promise<number> {
  const [row] = await totalOfList(db, { mailingListId })
  return row?.total ?? 0
}

const totalOfList = compiledQuery<{ mailingListId: number }, { total: number | null }>((db, value) =>
  db
    .selectFrom('mailing_list_counts')
    .select((select) => select.fn.sum<number | null>('subscribers').as('total'))
    .where('mailing_list_id', '=', value('mailingListId'))
)

/** docs/api.md, "Mailing lists". */
export async function presentMailingLists(
  db: Kysely<Schema>,
  organizationId: number,
  rows: MailingListRow[]
): Promise<MailingList[]> {
  const referencesOf = await referencePresenter(db, organizationId)
  return Promise.all(
    rows.map(async (row) => presentList(row, referencesOf(row), await presentPreview(db, row)))
  )
}

export async function presentMailingList(db: Kysely<Schema>, row: MailingListRow): Promise<MailingList> {
  const referencesOf = await referencePresenter(db, row.organization_id)
  return presentList(row, referencesOf(row), await presentPreview(db, row))
}

function presentList(
  row: MailingListRow,
  references: PresentedReferences,
  preview: Record<string, unknown>
): MailingList {
  return {
    id: row.id,
    name: row.name,
    d_from_email: row.d_from_email,
    d_from_name: row.d_from_name,
    d_reply_to: row.d_reply_to,
    d_sender_email: row.d_sender_email,
    d_speed: row.d_speed,
    ...references,
    d_autowinner_enabled: row.d_autowinner_enabled === 1,
    d_autowinner_percentage: row.d_autowinner_percentage,
    d_autowinner_delay_amount: row.d_autowinner_delay_amount,
    d_autowinner_delay_unit: row.d_autowinner_delay_unit,
    d_autowinner_metric: row.d_autowinner_metric,
    has_format: row.has_format === 1,
    has_confirmed: row.has_confirmed === 1,
    custom_headers_enabled: row.custom_headers_enabled === 1,
    custom_headers: row.custom_headers,
    primary_key_custom_field_id: row.primary_key_custom_field_id,
    preview_custom_field_data: preview
  }
}

async function presentPreview(db: Kysely<Schema>, row: MailingListRow): Promise<Record<string, unknown>> {
  const stored = JSON.parse(row.preview_custom_field_data) as StoredValues
  if (Object.keys(stored).length === 0) return {}
  const fields = await fieldsOfList(db, row.organization_id, row.id)
  return Object.fromEntries(
    fields
      .filter((field) => stored[field.id] !== undefined)
      .map((field) => [
        field.name,
        { name: field.name, type: field.type, value: presentValue(field, stored[field.id]) }
      ])
  )
}
