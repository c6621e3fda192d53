import { type Kysely, sql, type SqlBool } from 'kysely'
import { emailKey } from '../api/subscribers/rules.ts'
import type { Schema } from '../database/schema.ts'

/** Of each kind. */
const maxFound = 8

/** Subscribers of any list of the organization whose email begins with a text: an index finds them. */
export async function subscribersBeginning(db: Kysely<Schema>, organizationId: number, text: string) {
  const from = emailKey(text)
  // The last character of Unicode is in no address.
  const before = `${from}\u{10FFFF}`
  const lists = await db
    .selectFrom('mailing_lists')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
  const found: { id: number; email: string; mailing_list_id: number; mailing_list_name: string }[] = []
  for (const list of lists) {
    // Each of the two is served by an index of its own.
    for (const keyed of ['is', 'is not'] as const) {
      if (found.length >= maxFound) return found
      const rows = await db
        .selectFrom('subscribers')
        .select(['id', 'email'])
        .where('mailing_list_id', '=', list.id)
        .where('alternate_key', keyed, null)
        .where('email_key', '>=', from)
        .where('email_key', '<', before)
        .orderBy('email_key')
        .limit(maxFound - found.length)
        .execute()
      found.push(...rows.map((row) => ({ ...row, mailing_list_id: list.id, mailing_list_name: list.name })))
    }
  }
  return found
}

/** Campaigns whose name holds a text, the newest first. */
export function campaignsHolding(db: Kysely<Schema>, organizationId: number, text: string) {
  return db
    .selectFrom('campaigns')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'campaigns.mailing_list_id')
    .select(['campaigns.id', 'campaigns.name', 'mailing_list_id', 'mailing_lists.name as mailing_list_name'])
    .where('mailing_lists.organization_id', '=', organizationId)
    .where('mailing_lists.deleted_at', 'is', null)
    .where('campaigns.is_template', '=', 0)
    .where('campaigns.deleted_at', 'is', null)
    .where(sql<SqlBool>`instr(lower(campaigns.name), ${text.toLowerCase()}) > 0`)
    .orderBy('campaigns.id', 'desc')
    .limit(maxFound)
    .execute()
}

/** Imports of a file or an address that holds a text, the newest first. */
export function importsHolding(db: Kysely<Schema>, organizationId: number, text: string) {
  return db
    .selectFrom('subscriber_imports')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'subscriber_imports.mailing_list_id')
    .select(['subscriber_imports.id', 'mailing_list_id', 'mailing_lists.name as mailing_list_name'])
    .select(({ fn }) => fn.coalesce('source_url', 'source_filename').as('name'))
    .where('subscriber_imports.organization_id', '=', organizationId)
    .where('mailing_lists.deleted_at', 'is', null)
    .where('source_type', '!=', 'json')
    .where(sql<SqlBool>`instr(lower(coalesce(source_url, source_filename)), ${text.toLowerCase()}) > 0`)
    .orderBy('subscriber_imports.id', 'desc')
    .limit(maxFound)
    .execute()
}
