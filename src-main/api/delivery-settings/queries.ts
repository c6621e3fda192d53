import type { Kysely } from 'kysely'
import { notFound } from '../../base/errors.ts'
import { presentStored } from '../../base/stored-refusal.ts'
import { formatOptionalTime } from '../../base/times.ts'
import type { Schema } from '../../database/schema.ts'
import { autorespondersUsing } from '../autoresponders/uses.ts'
import { campaignsUsing } from '../campaigns/uses.ts'
import type { Dependency } from '../../http/dependencies.ts'
import { systemDefaultRoute, type UrlDomain, type VirtualMta } from './schema.ts'

/** By id; the system default route is first. */
export async function virtualMtasOf(db: Kysely<Schema>, organizationId: number): Promise<VirtualMta[]> {
  const rows = await db
    .selectFrom('virtual_mtas')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
  return [
    { id: 0, type: 'default_route', name: systemDefaultRoute },
    ...rows.map(({ id, name }) => ({ id, type: 'virtualmta' as const, name }))
  ]
}

export type UrlDomainRow = Awaited<ReturnType<typeof urlDomainsOf>>[number]

/** By id; what is null of a gate is null of a domain. */
export function urlDomainsOf(db: Kysely<Schema>, organizationId: number) {
  return db
    .selectFrom('url_domains')
    .leftJoin('gates', 'url_domain_id', 'url_domains.id')
    .select(['id', 'domain', 'address', 'credential_place', 'fetched_at', 'fault'])
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
}

/** @throws ApiError not_found */
export async function urlDomainById(
  db: Kysely<Schema>,
  organizationId: number,
  id: number
): Promise<UrlDomainRow> {
  const found = (await urlDomainsOf(db, organizationId)).find((each) => each.id === id)
  if (!found) throw notFound('URL domain', id)
  return found
}

export function presentUrlDomain(row: UrlDomainRow, timeZone: string): UrlDomain {
  const { id, domain, address, credential_place, fetched_at, fault } = row
  return {
    ...{ id, domain, address },
    kind: address === null ? 'domain' : 'gate',
    has_secret: credential_place !== null,
    fetched_at: formatOptionalTime(fetched_at, timeZone),
    ...presentStored(fault)
  }
}

export interface BounceEmailRow {
  userId: number
  domainId: number
  username: string
  domain: string
  plusAddressing: number
}

/** By user id. */
export function bounceEmailsOf(db: Kysely<Schema>, organizationId: number): Promise<BounceEmailRow[]> {
  return db
    .selectFrom('bounce_emails')
    .innerJoin('bounce_domains', 'bounce_domains.id', 'bounce_emails.bounce_domain_id')
    .select([
      'bounce_emails.id as userId',
      'bounce_domains.id as domainId',
      'bounce_emails.username as username',
      'bounce_domains.domain as domain',
      'plus_addressing as plusAddressing'
    ])
    .where('bounce_domains.organization_id', '=', organizationId)
    .orderBy('bounce_emails.id')
    .execute()
}

export function bounceEmailId({ userId, domainId }: BounceEmailRow): string {
  return `${userId}@${domainId}`
}

export function bounceAddress({ username, domain }: BounceEmailRow): string {
  return `${username}@${domain}`
}

const listColumns = {
  virtual_mta: 'd_virtual_mta_id',
  url_domain: 'd_url_domain_id',
  bounce_email: 'd_bounce_email_id',
  database_connection: 'database_connection_id'
} as const
const autoresponderColumns = {
  virtual_mta: 'virtual_mta_id',
  url_domain: 'url_domain_id',
  bounce_email: 'bounce_email_id',
  database_connection: null
} as const

export type DeliverySetting = keyof typeof listColumns

/** The lists that repeat an import from a database. */
function listsImportingFrom(db: Kysely<Schema>, connectionId: number) {
  return db
    .selectFrom('import_schedules')
    .select('mailing_list_id')
    .where('database_connection_id', '=', connectionId)
}

/**
 * Returns the lists, campaigns, templates and autoresponders that use the record for sending; deleted ones do
 * not count.
 */
export async function dependenciesOn(
  db: Kysely<Schema>,
  kind: DeliverySetting,
  id: number
): Promise<Dependency[]> {
  const lists = await db
    .selectFrom('mailing_lists')
    .select(['id', 'name'])
    .where((where) =>
      where.or([
        where(listColumns[kind], '=', id),
        ...(kind === 'database_connection' ? [where('id', 'in', listsImportingFrom(db, id))] : [])
      ])
    )
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
  const column = autoresponderColumns[kind]
  const campaigns = kind === 'database_connection' ? [] : await campaignsUsing(db, kind, id)
  return [
    ...lists.map((list) => ({ type: 'mailing_list' as const, ...list })),
    ...campaigns,
    ...(column === null ? [] : await autorespondersUsing(db, column, id))
  ]
}
