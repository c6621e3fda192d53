import type { Kysely, Selectable } from 'kysely'
import { notFound } from '../../base/errors.ts'
import { formatTime } from '../../base/times.ts'
import type { Schema } from '../../database/schema.ts'
import { dnsRecordOf } from './rules.ts'
import type { DkimKey } from './schema.ts'
import type { DkimKeysTable } from './tables.ts'

export type DkimKeyRow = Selectable<DkimKeysTable>

/** By domain; the newest first. */
export function dkimKeysOf(db: Kysely<Schema>, organizationId: number): Promise<DkimKeyRow[]> {
  return db
    .selectFrom('dkim_keys')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('domain')
    .orderBy('id', 'desc')
    .execute()
}

/** @throws ApiError not_found */
export async function dkimKeyById(
  db: Kysely<Schema>,
  organizationId: number,
  id: number
): Promise<DkimKeyRow> {
  const row = await db
    .selectFrom('dkim_keys')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('DKIM key', id)
  return row
}

export function presentDkimKey(row: DkimKeyRow, timeZone: string): DkimKey {
  const { id, domain, selector, is_enabled, credential_place } = row
  const record = dnsRecordOf(row)
  return {
    ...{ id, domain, selector },
    is_enabled: is_enabled === 1,
    has_private_key: credential_place !== null,
    record_name: record.name,
    record_value: record.value,
    created_at: formatTime(row.created_at, timeZone),
    updated_at: formatTime(row.updated_at, timeZone)
  }
}
