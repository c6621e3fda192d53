import type { Kysely, Selectable } from 'kysely'
import type { Credentials } from '../../base/credentials.ts'
import { ApiError, notFound, refusalOf, validationFailed } from '../../base/errors.ts'
import { type Refusal, refusal } from '../../base/refusal.ts'
import { formatTime } from '../../base/times.ts'
import type { Schema } from '../../database/schema.ts'
import type { DatabaseTarget } from '../../remote-databases/remote-database.ts'
import { systemOrganizationId } from '../organizations/rules.ts'
import type { DatabaseConnection } from './schema.ts'
import type { DatabaseConnectionsTable } from './tables.ts'

export type DatabaseConnectionRow = Selectable<DatabaseConnectionsTable>

/** By id. */
export function databaseConnections(db: Kysely<Schema>): Promise<DatabaseConnectionRow[]> {
  return db.selectFrom('database_connections').selectAll().orderBy('id').execute()
}

/** @throws ApiError not_found */
export async function databaseConnectionById(db: Kysely<Schema>, id: number): Promise<DatabaseConnectionRow> {
  const row = await db.selectFrom('database_connections').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound('database connection', id)
  return row
}

/** True if an organization may read from a connection. */
export function mayUseConnection(
  organizationId: number,
  { organization_ids }: Pick<DatabaseConnectionRow, 'organization_ids'>
): boolean {
  const ids = JSON.parse(organization_ids) as number[]
  return organizationId === systemOrganizationId || ids.includes(organizationId)
}

/**
 * Returns where a connection leads, with its password.
 * @throws ApiError validation_failed if it is not set up, or its password cannot be read
 */
export async function targetOf(
  row: DatabaseConnectionRow,
  credentials: Pick<Credentials, 'read'>
): Promise<DatabaseTarget> {
  const { engine, name, host, port, database, username, tls, authorities, credential_place: place } = row
  if (engine === null) throw validationFailed(refusal('database_not_set_up', { name }))
  const password = place === null ? null : await credentials.read(`database-${row.id}`, place)
  if (place !== null && password === null) throw validationFailed(refusal('database_no_secret', { name }))
  return { engine, name, host, port, database, username, tls, authorities, password }
}

/** The database of a job, or the reason why it cannot be used; `timeLimit` is that of a query, in milliseconds. */
export type JobDatabase = { target: DatabaseTarget; timeLimit: number } | { fault: Refusal }

/** Returns the database of a connection for a job, which stores the reason if it cannot be used. */
export async function jobDatabaseOf(
  row: DatabaseConnectionRow,
  credentials: Pick<Credentials, 'read'>
): Promise<JobDatabase> {
  try {
    return { target: await targetOf(row, credentials), timeLimit: row.time_limit * 1000 }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { fault: refusalOf(error) }
  }
}

export function presentConnection(row: DatabaseConnectionRow, timeZone: string): DatabaseConnection {
  const { id, name, engine, host, port, database, username, tls, authorities, time_limit } = row
  return {
    ...{ id, name, engine, host, port, database, username, tls, authorities, time_limit },
    organization_ids: JSON.parse(row.organization_ids) as number[],
    has_secret: row.credential_place !== null,
    created_at: formatTime(row.created_at, timeZone),
    updated_at: formatTime(row.updated_at, timeZone)
  }
}
