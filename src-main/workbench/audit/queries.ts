import { type Kysely, type RawBuilder, sql, type SqlBool } from 'kysely'
import { systemDefaultRoute } from '../../api/delivery-settings/schema.ts'
import type { ChangeVia } from '../../database/origin.ts'
import type { ChangeAction, ChangedEntity, Schema } from '../../database/schema.ts'

/** An entry of the change log with a user or job behind it. */
export interface AuditRow {
  id: number
  at: number
  entity: ChangedEntity
  action: ChangeAction
  mailing_list_id: number | null
  first_id: number
  last_id: number
  via: ChangeVia
  cause_id: number | null
  user_id: number | null
  /** The number of records from first_id to last_id; null if an earlier version stored only which. */
  records: number | null
}

/** Filters entries; null = any. Times are UNIX milliseconds. */
export interface AuditScope {
  organizationId: number
  userId: number | null
  via: ChangeVia | null
  entity: ChangedEntity | null
  recordId: number | null
  mailingListId: number | null
  from: number | null
  before: number | null
}

/** The last entry of the change log. */
export async function newestEntry(db: Kysely<Schema>): Promise<number> {
  const { id } = await db
    .selectFrom('change_log')
    .select((select) => select.fn.max<number | null>('id').as('id'))
    .executeTakeFirstOrThrow()
  return id ?? 0
}

/** The first entry of the change log that is still there. */
export async function oldestEntry(db: Kysely<Schema>): Promise<number> {
  const { id } = await db
    .selectFrom('change_log')
    .select((select) => select.fn.min<number | null>('id').as('id'))
    .executeTakeFirstOrThrow()
  return id ?? 0
}

// A job's entries about itself only report progress.
const isProgress = sql<SqlBool>`entity in ('subscriber_import', 'bulk_action', 'sync_remote')
  and via in ('subscriber_import', 'import_undo', 'bulk_action', 'bulk_action_undo', 'sync')`

/** The entries of a scope with ids from one on, up to another: both are looked through, so they lie close together. Newest first. */
export function auditRows(
  db: Kysely<Schema>,
  scope: AuditScope,
  fromId: number,
  toId: number
): Promise<AuditRow[]> {
  const { userId, via, entity, recordId, mailingListId, from, before } = scope
  return (
    db
      .selectFrom('change_log')
      .select([
        'id',
        'at',
        'entity',
        'action',
        'mailing_list_id',
        'first_id',
        'last_id',
        'via',
        'cause_id',
        'user_id',
        sql<
          number | null
        >`iif(members is null, last_id - first_id + 1, json_extract(details, '$.members'))`.as('records')
      ])
      .where('id', '>=', fromId)
      .where('id', '<=', toId)
      .where('organization_id', '=', scope.organizationId)
      // The application also changes things by itself, such as ending jobs.
      .where('via', 'is not', null)
      .where(sql<SqlBool>`not (${isProgress})`)
      .$if(userId !== null, (query) => query.where('user_id', '=', userId))
      .$if(via !== null, (query) => query.where('via', '=', via))
      .$if(entity !== null, (query) => query.where('entity', '=', entity ?? 'subscriber'))
      .$if(recordId !== null, (query) =>
        query.where('first_id', '=', recordId ?? 0).where('last_id', '=', recordId ?? 0)
      )
      .$if(mailingListId !== null, (query) => query.where('mailing_list_id', '=', mailingListId))
      .$if(from !== null, (query) => query.where('at', '>=', from ?? 0))
      .$if(before !== null, (query) => query.where('at', '<', before ?? 0))
      .orderBy('id', 'desc')
      .$narrowType<{ via: ChangeVia }>()
      .execute()
  )
}

/**
 * Returns the stored details of changes of single records, JSON by entry id. They may be long, so only a few
 * are read.
 */
export async function detailsOf(db: Kysely<Schema>, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await db
    .selectFrom('change_log')
    .select(['id', 'details'])
    .where('id', 'in', [...ids])
    .where('details', 'is not', null)
    .$narrowType<{ details: string }>()
    .execute()
  return new Map(rows.map(({ id, details }) => [id, details]))
}

/** The SQL for the names of a kind of records: id, name, is_gone. null = the kind has no names. */
const named: Record<ChangedEntity, RawBuilder<unknown> | null> = {
  subscriber: sql`SELECT id, email AS name, 0 AS is_gone FROM subscribers`,
  mailing_list: sql`SELECT id, name, deleted_at IS NOT NULL AS is_gone FROM mailing_lists`,
  custom_field: sql`SELECT id, name, deleted_at IS NOT NULL AS is_gone FROM custom_fields`,
  segment: sql`SELECT id, name, name IS NULL AS is_gone FROM segments`,
  campaign: sql`SELECT id, name, deleted_at IS NOT NULL AS is_gone FROM campaigns`,
  template: sql`SELECT id, name, deleted_at IS NOT NULL AS is_gone FROM campaigns`,
  autoresponder: sql`SELECT id, name, 0 AS is_gone FROM autoresponders`,
  web_form: sql`SELECT id, name, 0 AS is_gone FROM web_forms`,
  suppression_list: sql`SELECT id, name, 0 AS is_gone FROM suppression_lists`,
  seed_list: sql`SELECT id, name, 0 AS is_gone FROM seed_lists`,
  virtual_mta: sql`SELECT id, name, 0 AS is_gone FROM virtual_mtas`,
  smtp_server: sql`SELECT id, name, 0 AS is_gone FROM smtp_servers`,
  dkim_key: sql`SELECT id, domain AS name, 0 AS is_gone FROM dkim_keys`,
  delivery_route: sql`SELECT id, name, 0 AS is_gone FROM virtual_mtas UNION ALL SELECT 0, ${sql.lit(systemDefaultRoute)}, 0`,
  url_domain: sql`SELECT id, domain AS name, 0 AS is_gone FROM url_domains`,
  webhook: sql`SELECT id, name, 0 AS is_gone FROM webhooks`,
  bounce_email: sql`SELECT bounce_emails.id, username || '@' || domain AS name, 0 AS is_gone
    FROM bounce_emails JOIN bounce_domains ON bounce_domains.id = bounce_domain_id`,
  database_connection: sql`SELECT id, name, 0 AS is_gone FROM database_connections`,
  sync_remote: sql`SELECT id, name, 0 AS is_gone FROM sync_remotes`,
  organization: sql`SELECT id, name, 0 AS is_gone FROM organizations`,
  user: sql`SELECT id, full_name AS name, deleted_at IS NOT NULL AS is_gone FROM users`,
  sign_in: sql`SELECT id, full_name AS name, deleted_at IS NOT NULL AS is_gone FROM users`,
  api_key: sql`SELECT id, name, 0 AS is_gone FROM api_keys`,
  // A correction has the name of the file that its rows came from, which importNames knows.
  subscriber_import: null,
  subscriber_export: null,
  bulk_action: null,
  suppressed_address_import: null,
  pending_subscription: null,
  settings: null,
  // The name is stored in each entry.
  received_message: null,
  judgement: null,
  mailbox: null,
  import_schedule: null,
  write_back: null,
  backup: null
}

export interface RecordName {
  name: string | null
  isGone: boolean
}

/** The names of records of one kind, by id; also those of records that were deleted, where these are kept. */
export async function recordNames(
  db: Kysely<Schema>,
  entity: ChangedEntity,
  ids: readonly number[]
): Promise<Map<number, RecordName>> {
  const source = named[entity]
  if (!source || ids.length === 0) return new Map()
  const { rows } = await sql<{ id: number; name: string | null; is_gone: 0 | 1 }>`
    SELECT id, name, is_gone FROM (${source}) WHERE id IN (${sql.join(ids)})`.execute(db)
  return new Map(rows.map(({ id, name, is_gone }) => [id, { name, isGone: is_gone === 1 }]))
}
