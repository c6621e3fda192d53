import type { Kysely, Selectable } from 'kysely'
import type { PendingSubscriptionsTable, WebFormsTable } from './tables.ts'
import type { Schema } from '../../database/schema.ts'
import { notFound } from '../../base/errors.ts'
import { formatTime } from '../../base/times.ts'
import type { PendingSubscription, WebForm } from './schema.ts'
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

/** True if new subscribers of the organization must confirm. */
export async function enforcesConfirmedOptIn(db: Kysely<Schema>, organizationId: number): Promise<boolean> {
  return (await organizationRules(db, organizationId)).enforces_confirmed_opt_in === 1
}

export function presentWebForm(row: WebFormRow, timeZone: string): WebForm {
  return {
    id: row.id,
    mailing_list_id: row.mailing_list_id,
    name: row.name,
    requires_confirmation: row.requires_confirmation === 1,
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
    created_at: formatTime(row.created_at, timeZone)
  }
}
