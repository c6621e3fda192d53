import type { Kysely, Selectable } from 'kysely'
import { notFound } from '../../base/errors.ts'
import { presentStored } from '../../base/stored-refusal.ts'
import { formatOptionalTime, formatTime } from '../../base/times.ts'
import type { Schema } from '../../database/schema.ts'
import type { Mailbox } from './schema.ts'
import type { MailboxesTable } from './tables.ts'

export type MailboxRow = Selectable<MailboxesTable>

/** By id. */
export function mailboxesOf(db: Kysely<Schema>, organizationId: number): Promise<MailboxRow[]> {
  return db
    .selectFrom('mailboxes')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
}

/** @throws ApiError not_found */
export async function mailboxById(
  db: Kysely<Schema>,
  organizationId: number,
  id: number
): Promise<MailboxRow> {
  const row = await db
    .selectFrom('mailboxes')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('mailbox', id)
  return row
}

/** A mailbox that could not be read for longer does not count, in milliseconds. */
const readWithin = 7 * 24 * 60 * 60 * 1000

/** True if an organization has a mailbox that is read: unsubscribes by mail arrive there. */
export async function receivesMail(db: Kysely<Schema>, organizationId: number): Promise<boolean> {
  const rows = await mailboxesOf(db, organizationId)
  const since = Date.now() - readWithin
  return rows.some(({ is_enabled, checked_at }) => is_enabled === 1 && (checked_at ?? 0) > since)
}

export function presentMailbox(row: MailboxRow, timeZone: string): Mailbox {
  const { id, name, protocol, host, port, security, authentication, username, folder } = row
  return {
    ...{ id, name, protocol, host, port, security, authentication, username, folder },
    deletes_reports: row.deletes_reports === 1,
    is_enabled: row.is_enabled === 1,
    has_secret: row.credential_place !== null,
    checked_at: formatOptionalTime(row.checked_at, timeZone),
    ...presentStored(row.fault),
    created_at: formatTime(row.created_at, timeZone),
    updated_at: formatTime(row.updated_at, timeZone)
  }
}
