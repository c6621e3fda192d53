import type { Kysely, Selectable } from 'kysely'
import { databaseConnectionById } from '../api/database-connections/queries.ts'
import type { WriteBacksTable } from '../api/remote-lists/tables.ts'
import { presentStored, type StoredRefusal } from '../base/stored-refusal.ts'
import { formatOptionalTime } from '../base/times.ts'
import type { Schema } from '../database/schema.ts'
import type { DatabaseTarget } from '../remote-databases/remote-database.ts'
import { createStatement, defaultTableName, type RemovalRow } from './removals-table.ts'
import { mostWaiting, type WriteBack } from './schema.ts'

export type WriteBackRow = Selectable<WriteBacksTable>

export function findWriteBack(db: Kysely<Schema>, mailingListId: number): Promise<WriteBackRow | undefined> {
  return db
    .selectFrom('write_backs')
    .selectAll()
    .where('mailing_list_id', '=', mailingListId)
    .executeTakeFirst()
}

export async function presentWriteBack(
  db: Kysely<Schema>,
  list: { id: number; database_connection_id: number },
  timeZone: string
): Promise<WriteBack> {
  const row = await findWriteBack(db, list.id)
  const { engine } = await databaseConnectionById(db, list.database_connection_id)
  const waiting = db
    .selectFrom('remote_removals')
    .select('id')
    .where('mailing_list_id', '=', list.id)
    .where('written_at', 'is', null)
    .limit(mostWaiting)
  const { count } = await db
    .selectFrom(waiting.as('waiting'))
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const table_name = row?.table_name ?? defaultTableName
  return {
    ...{ is_enabled: row?.is_enabled === 1, table_name, waiting: count },
    create_sql: engine && createStatement(engine, table_name),
    checked_at: formatOptionalTime(row?.checked_at ?? null, timeZone),
    written_at: formatOptionalTime(row?.written_at ?? null, timeZone),
    ...presentStored(row?.fault ?? null)
  }
}

/** Returns the write-backs of an organization whose last attempt failed. */
export function listFailingWriteBacks(db: Kysely<Schema>, organizationId: number) {
  return db
    .selectFrom('write_backs')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_id')
    .select(['write_backs.id', 'mailing_list_id', 'mailing_lists.name as mailing_list_name', 'fault'])
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .where('is_enabled', '=', 1)
    .where('fault', 'is not', null)
    .$narrowType<{ fault: StoredRefusal }>()
    .orderBy('write_backs.id')
    .execute()
}

/** A table that removals are written to, and its database. */
export interface WriteBackPlace extends Pick<DatabaseTarget, 'engine' | 'host' | 'port' | 'database'> {
  table_name: string
}

/** A write-back with its list and the connection that it goes through. */
export function writeBackWithConnection(db: Kysely<Schema>, id: number) {
  return db
    .selectFrom('write_backs')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_id')
    .innerJoin('database_connections', 'database_connections.id', 'database_connection_id')
    .where('write_backs.id', '=', id)
}

/** True if a list still has its removals written to a place. */
export async function isCurrentPlace(
  db: Kysely<Schema>,
  writeBackId: number,
  place: WriteBackPlace
): Promise<boolean> {
  const found = await writeBackWithConnection(db, writeBackId)
    .select('write_backs.id')
    .where((where) => where.and({ ...place }))
    .executeTakeFirst()
  return found !== undefined
}

/** Returns the next removals of a list in their order. */
export function nextRemovals(
  db: Kysely<Schema>,
  mailingListId: number,
  limit: number
): Promise<RemovalRow[]> {
  return db
    .selectFrom('remote_removals')
    .selectAll()
    .where('mailing_list_id', '=', mailingListId)
    .where('written_at', 'is', null)
    .orderBy('id')
    .limit(limit)
    .execute()
}
