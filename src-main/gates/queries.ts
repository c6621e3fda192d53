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

/** Returns what a gate is to have, by content. */
export function contentsOfGate(
  db: Kysely<Schema>,
  urlDomainId: number
): Promise<Selectable<GateContentsTable>[]> {
  return db.selectFrom('gate_contents').selectAll().where('url_domain_id', '=', urlDomainId).execute()
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
