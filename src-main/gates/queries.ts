import type { Kysely, Selectable } from 'kysely'
import type { Credentials } from '../base/credentials.ts'
import type { Schema } from '../database/schema.ts'
import type { GateContentsTable, GatesTable } from './tables.ts'

export type GateRow = Selectable<GatesTable>

/** Returns a gate; undefined for a URL domain that is none. */
export function gateOf(db: Kysely<Schema>, urlDomainId: number): Promise<GateRow | undefined> {
  return db.selectFrom('gates').selectAll().where('url_domain_id', '=', urlDomainId).executeTakeFirst()
}

/** Returns the keys of all gates, by URL domain; null = one cannot be read. */
export async function gateKeys(
  db: Kysely<Schema>,
  credentials: Pick<Credentials, 'read'>
): Promise<Record<number, string | null>> {
  const rows = await db.selectFrom('gates').select(['url_domain_id', 'credential_place']).execute()
  const keys = rows.map(
    async ({ url_domain_id: id, credential_place: place }): Promise<[number, string | null]> => [
      id,
      place === null ? null : await credentials.read(`gate-${id}`, place)
    ]
  )
  return Object.fromEntries(await Promise.all(keys))
}

/** Returns the keys of the contents that a gate is to have. */
export async function contentKeysOfGate(db: Kysely<Schema>, urlDomainId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('gate_contents')
    .select('content_key')
    .where('url_domain_id', '=', urlDomainId)
    .execute()
  return rows.map(({ content_key }) => content_key)
}

/** Returns the keys of the contents that a gate does not have yet as they are now. */
export async function newContentKeysOfGate(db: Kysely<Schema>, urlDomainId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('gate_contents')
    .select('content_key')
    .where('url_domain_id', '=', urlDomainId)
    .where('is_handed_over', '=', 0)
    .execute()
  return rows.map(({ content_key }) => content_key)
}

/** Returns a content as a gate is to have it. */
export function contentOfGate(
  db: Kysely<Schema>,
  urlDomainId: number,
  key: string
): Promise<Selectable<GateContentsTable> | undefined> {
  return db
    .selectFrom('gate_contents')
    .selectAll()
    .where('url_domain_id', '=', urlDomainId)
    .where('content_key', '=', key)
    .executeTakeFirst()
}

/** Returns the organization of a URL domain. */
export async function organizationOfGate(db: Kysely<Schema>, urlDomainId: number): Promise<number> {
  const { organization_id } = await db
    .selectFrom('url_domains')
    .select('organization_id')
    .where('id', '=', urlDomainId)
    .executeTakeFirstOrThrow()
  return organization_id
}

/** Returns how far the events of an epoch were applied. */
export async function positionOf(db: Kysely<Schema>, epoch: string): Promise<number> {
  const row = await db
    .selectFrom('gate_positions')
    .select('number')
    .where('epoch', '=', epoch)
    .executeTakeFirst()
  return row?.number ?? 0
}
