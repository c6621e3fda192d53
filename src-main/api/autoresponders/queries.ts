import type { Kysely, Selectable } from 'kysely'
import type { AutorespondersTable } from './tables.ts'
import type { Schema } from '../../database/schema.ts'
import { notFound } from '../../base/errors.ts'
import { formatOptionalTime } from '../../base/times.ts'
import type { Autoresponder } from './schema.ts'

export type AutoresponderRow = Selectable<AutorespondersTable>

export function autorespondersOf(db: Kysely<Schema>, mailingListId: number): Promise<AutoresponderRow[]> {
  return db
    .selectFrom('autoresponders')
    .selectAll()
    .where('mailing_list_id', '=', mailingListId)
    .orderBy('id')
    .execute()
}

/** @throws ApiError not_found */
export async function autoresponderById(
  db: Kysely<Schema>,
  mailingListId: number,
  id: number
): Promise<AutoresponderRow> {
  const row = await db
    .selectFrom('autoresponders')
    .selectAll()
    .where('id', '=', id)
    .where('mailing_list_id', '=', mailingListId)
    .executeTakeFirst()
  if (!row) throw notFound('autoresponder', id)
  return row
}

/** The list that an autoresponder of the organization belongs to. @throws ApiError not_found */
export async function listOfAutoresponder(
  db: Kysely<Schema>,
  organizationId: number,
  id: number
): Promise<number> {
  const row = await db
    .selectFrom('autoresponders')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'autoresponders.mailing_list_id')
    .select('mailing_list_id')
    .where('autoresponders.id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) throw notFound('autoresponder', id)
  return row.mailing_list_id
}

export async function presentAutoresponders(
  db: Kysely<Schema>,
  rows: AutoresponderRow[],
  timeZone: string
): Promise<Autoresponder[]> {
  const bounceIds = rows.flatMap((row) => (row.bounce_email_id === null ? [] : [row.bounce_email_id]))
  const bounceEmails =
    bounceIds.length === 0
      ? []
      : await db
          .selectFrom('bounce_emails')
          .select(['id', 'bounce_domain_id'])
          .where('id', 'in', bounceIds)
          .execute()
  const domainOf = new Map(bounceEmails.map((each) => [each.id, each.bounce_domain_id]))
  return rows.map((row) => ({
    id: row.id,
    mailing_list_id: row.mailing_list_id,
    name: row.name,
    paused: row.paused_at !== null,
    trigger: row.trigger,
    delay: row.delay,
    delay_amount: row.delay_amount,
    delay_unit: row.delay_unit,
    delay_time: row.delay_time,
    trigger_include_subscribers_from_import: row.trigger_include_subscribers_from_import === 1,
    trigger_run_on_api: row.trigger_run_on_api === 1,
    trigger_campaign_to_open_id: row.trigger_campaign_to_open_id,
    trigger_autoresponder_to_open_id: row.trigger_autoresponder_to_open_id,
    use_external_delivery_setting: row.use_external_delivery_setting === 1,
    bounce_email_user_id: row.bounce_email_id,
    bounce_email_domain_id: domainOf.get(row.bounce_email_id ?? 0) ?? null,
    from_name: row.from_name,
    from_email: row.from_email,
    virtual_mta_id: row.virtual_mta_id ?? 0,
    url_domain_id: row.url_domain_id,
    track_opens: row.track_opens === 1,
    track_links: row.track_links === 1,
    content_subject: row.content_subject,
    content_format: row.content_format,
    content_html: row.content_html,
    content_text: row.content_text,
    triggered_on: formatOptionalTime(row.triggered_at, timeZone),
    paused_at: formatOptionalTime(row.paused_at, timeZone),
    segmentation_criteria_id: row.segmentation_criteria_id,
    special_sending_rule_id: null,
    special_sending_rule_name: null
  }))
}
