import { type Kysely, sql, type SqlBool } from 'kysely'
import { emailKey } from '../api/subscribers/rules.ts'
import type { Schema } from '../database/schema.ts'

const maxFound = 8

export interface SearchQuestion {
  organizationId: number
  text: string
  /** Kinds that the caller may not see are not searched. */
  maySee: { subscribers: boolean; imports: boolean }
}

/** The first few of each kind that have a name or an address that holds a text. */
export async function searchEverything(db: Kysely<Schema>, { organizationId, text, maySee }: SearchQuestion) {
  return {
    mailing_lists: await listsHolding(db, organizationId, text),
    subscribers: maySee.subscribers ? await subscribersBeginning(db, organizationId, text) : [],
    campaigns: await campaignsHolding(db, organizationId, text),
    imports: maySee.imports ? await importsHolding(db, organizationId, text) : []
  }
}

export type Found = Awaited<ReturnType<typeof searchEverything>>

function listsHolding(db: Kysely<Schema>, organizationId: number, text: string) {
  return db
    .selectFrom('mailing_lists')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .where(sql<SqlBool>`instr(lower(name), ${text.toLowerCase()}) > 0`)
    .orderBy('name')
    .limit(maxFound)
    .execute()
}

async function subscribersBeginning(db: Kysely<Schema>, organizationId: number, text: string) {
  const from = emailKey(text)
  // The last code point of Unicode occurs in no address.
  const before = `${from}\u{10FFFF}`
  const found: { id: number; email: string; mailing_list_id: number; mailing_list_name: string }[] = []
  // A separate index serves each of the two cases.
  for (const keyed of ['is', 'is not'] as const) {
    const rows = await db
      .selectFrom('mailing_lists')
      // In this order: no index covers the addresses of all lists together.
      .crossJoin('subscribers')
      .select(['subscribers.id', 'email', 'mailing_list_id', 'mailing_lists.name as mailing_list_name'])
      .where('organization_id', '=', organizationId)
      .where('deleted_at', 'is', null)
      .whereRef('mailing_list_id', '=', 'mailing_lists.id')
      .where('alternate_key', keyed, null)
      .where('email_key', '>=', from)
      .where('email_key', '<', before)
      .orderBy('mailing_lists.id')
      .orderBy('email_key')
      .limit(maxFound - found.length)
      .execute()
    found.push(...rows)
  }
  return found
}

function campaignsHolding(db: Kysely<Schema>, organizationId: number, text: string) {
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

function importsHolding(db: Kysely<Schema>, organizationId: number, text: string) {
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
