import type { Kysely, Selectable } from 'kysely'
import type { KeyObject } from 'node:crypto'
import type { PendingSubscriptionsTable, WebFormsTable } from './tables.ts'
import type { Schema } from '../../database/schema.ts'
import { notFound } from '../../base/errors.ts'
import { presentStored, type StoredRefusal } from '../../base/stored-refusal.ts'
import { formatOptionalTime, formatTime } from '../../base/times.ts'
import type { PendingSubscription, WebForm } from './schema.ts'
import { signingSecret } from '../../settings/queries.ts'
import { localListById, type MailingListRow } from '../mailing-lists/queries.ts'
import { readToken } from '../subscribers/tokens.ts'
import { organizationRules } from '../organizations/queries.ts'

export type WebFormRow = Selectable<WebFormsTable>
export type PendingSubscriptionRow = Selectable<PendingSubscriptionsTable>

export function webFormsOf(db: Kysely<Schema>, mailingListId: number): Promise<WebFormRow[]> {
  return db
    .selectFrom('web_forms')
    .selectAll()
    .where('mailing_list_id', '=', mailingListId)
    .orderBy('id')
    .execute()
}

/** Returns the forms with a page under a URL domain, with their lists. */
export async function signUpFormsOf(
  db: Kysely<Schema>,
  urlDomainId: number
): Promise<{ form: WebFormRow; list: MailingListRow }[]> {
  const lists = await db
    .selectFrom('mailing_lists')
    .selectAll()
    .where('d_url_domain_id', '=', urlDomainId)
    .where('deleted_at', 'is', null)
    .execute()
  const found = await Promise.all(
    lists.map(async (list) => {
      const forms = await webFormsOf(db, list.id)
      return forms.filter(({ has_page }) => has_page === 1).map((form) => ({ form, list }))
    })
  )
  return found.flat()
}

/** @throws ApiError not_found */
export async function webFormById(
  db: Kysely<Schema>,
  mailingListId: number,
  id: number
): Promise<WebFormRow> {
  const row = (await webFormsOf(db, mailingListId)).find((form) => form.id === id)
  if (!row) throw notFound('web form', id)
  return row
}

/** Returns the list of a form. @throws ApiError not_found */
export async function listOfWebForm(db: Kysely<Schema>, organizationId: number, id: number): Promise<number> {
  const row = await db
    .selectFrom('web_forms')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'web_forms.mailing_list_id')
    .select('mailing_list_id')
    .where('web_forms.id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) throw notFound('web form', id)
  return row.mailing_list_id
}

/** Returns up to `limit` unconfirmed subscriptions with an id above `afterId`, oldest first. */
export function pendingSubscriptions(
  db: Kysely<Schema>,
  mailingListId: number,
  afterId: number,
  limit: number
): Promise<PendingSubscriptionRow[]> {
  return db
    .selectFrom('pending_subscriptions')
    .selectAll()
    .where('mailing_list_id', '=', mailingListId)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** @throws ApiError not_found */
export async function pendingSubscriptionById(
  db: Kysely<Schema>,
  mailingListId: number,
  id: number
): Promise<PendingSubscriptionRow> {
  const row = await db
    .selectFrom('pending_subscriptions')
    .selectAll()
    .where('id', '=', id)
    .where('mailing_list_id', '=', mailingListId)
    .executeTakeFirst()
  if (!row) throw notFound('pending subscription', id)
  return row
}

/** A subscription that a confirmation link names. */
export interface LinkedSubscription {
  pending: PendingSubscriptionRow
  form: WebFormRow
  list: MailingListRow
  organizationId: number
  timeZone: string
}

/**
 * Returns what the link of a confirmation message names.
 * @param now UNIX milliseconds
 * @param secret with which it was signed; left out = that of this installation
 * @returns null for a link that was used, has expired, or was never made
 */
export async function pendingByToken(
  db: Kysely<Schema>,
  token: string,
  now: number,
  secret?: KeyObject
): Promise<LinkedSubscription | null> {
  const named = readToken(secret ?? (await signingSecret(db)), 'confirm', token)
  if (!named) return null
  const pending = await db
    .selectFrom('pending_subscriptions')
    .selectAll()
    .where('id', '=', named.subscriberId)
    .where('web_form_id', '=', named.sliceId)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .executeTakeFirst()
  const owner =
    pending &&
    (await db
      .selectFrom('mailing_lists')
      .innerJoin('organizations', 'organizations.id', 'organization_id')
      .select(['organization_id', 'time_zone_name'])
      .where('mailing_lists.id', '=', pending.mailing_list_id)
      .where('mailing_lists.deleted_at', 'is', null)
      .executeTakeFirst())
  if (!owner) return null
  const { organization_id: organizationId, time_zone_name: timeZone } = owner
  const list = await localListById(db, organizationId, pending.mailing_list_id, 'subscribers')
  return {
    pending,
    form: await webFormById(db, list.id, pending.web_form_id),
    list,
    organizationId,
    timeZone
  }
}

/** True if an address is active on a list. */
export async function hasActive(
  db: Kysely<Schema>,
  mailingListId: number,
  emailKey: string
): Promise<boolean> {
  const found = await db
    .selectFrom('subscribers')
    .select('id')
    .where('mailing_list_id', '=', mailingListId)
    .where('email_key', '=', emailKey)
    .where('status', '=', 'active')
    .executeTakeFirst()
  return found !== undefined
}

/** True if new subscribers of the organization must confirm. */
export async function enforcesConfirmedOptIn(db: Kysely<Schema>, organizationId: number): Promise<boolean> {
  return (await organizationRules(db, organizationId)).enforces_confirmed_opt_in === 1
}

/** Returns why the confirmation messages of a list's forms are not being sent, by form. */
export async function confirmationFaults(
  db: Kysely<Schema>,
  mailingListId: number
): Promise<Map<number, StoredRefusal>> {
  const rows = await db
    .selectFrom('confirmation_deliveries')
    .innerJoin('web_forms', 'web_forms.id', 'web_form_id')
    .select(['web_form_id', 'error_message'])
    .where('mailing_list_id', '=', mailingListId)
    .where('error_message', 'is not', null)
    .$narrowType<{ error_message: StoredRefusal }>()
    .execute()
  return new Map(rows.map(({ web_form_id, error_message }) => [web_form_id, error_message]))
}

/** Returns what is stored of the page of a form, as the API has it. */
export function pageSettings(row: WebFormRow) {
  const { page_title, page_intro, consent_text, success_text } = row
  return {
    has_page: row.has_page === 1,
    ...{ page_title, page_intro, consent_text, success_text },
    custom_field_ids: JSON.parse(row.custom_field_ids) as number[]
  }
}

interface Presented {
  timeZone: string
  /** Why its confirmation messages are not being sent. */
  fault: StoredRefusal | null
  /** The address of its page and the HTML for other pages; null = it has none. */
  page: { url: string; html: string } | null
}

export function presentWebForm(row: WebFormRow, { timeZone, fault, page }: Presented): WebForm {
  const { language, confirmation_subject, confirmation_html, confirmation_text, confirmation_days } = row
  return {
    id: row.id,
    mailing_list_id: row.mailing_list_id,
    name: row.name,
    requires_confirmation: row.requires_confirmation === 1,
    ...{ language, confirmation_subject, confirmation_html, confirmation_text, confirmation_days },
    ...pageSettings(row),
    page_url: page?.url ?? null,
    embed_html: page?.html ?? null,
    ...presentStored(fault),
    created_at: formatTime(row.created_at, timeZone),
    updated_at: formatTime(row.updated_at, timeZone)
  }
}

export function presentPending(row: PendingSubscriptionRow, timeZone: string): PendingSubscription {
  return {
    id: row.id,
    mailing_list_id: row.mailing_list_id,
    confirmation_form_id: row.web_form_id,
    email: row.email,
    created_at: formatTime(row.created_at, timeZone),
    sent_at: formatOptionalTime(row.sent_at, timeZone),
    is_repeated: row.is_repeated === 1,
    expires_at: formatOptionalTime(row.expires_at, timeZone)
  }
}
