import type { databaseConnectionEndpoints } from '../../src-main/api/database-connections/endpoints.ts'
import type {
  DatabaseConnection,
  DatabaseConnectionChanges,
  DatabaseConnectionInput,
  DatabaseConnectionTest
} from '../../src-main/api/database-connections/schema.ts'
import { apiCalls, ifPermitted, type RecordVersion } from './client.ts'

export type { DatabaseConnection, DatabaseConnectionInput, DatabaseConnectionTest }

const connections = apiCalls<typeof databaseConnectionEndpoints>()

/** The databases that Remote Lists and imports read from; null for a user who is no system administrator. */
export function fetchDatabaseConnections(): Promise<DatabaseConnection[] | null> {
  return ifPermitted<DatabaseConnection[] | null>(connections.call('GET /database_connections'), null)
}

export function fetchDatabaseConnection(id: number, version?: RecordVersion): Promise<DatabaseConnection> {
  return connections.call('GET /database_connections/:id', { params: { id }, version })
}

export function createDatabaseConnection(connection: DatabaseConnectionInput): Promise<DatabaseConnection> {
  return connections.call('POST /database_connections', { body: { database_connection: connection } })
}

export function updateDatabaseConnection(
  id: number,
  changes: DatabaseConnectionChanges,
  version?: RecordVersion
): Promise<DatabaseConnection> {
  return connections.call('PUT /database_connections/:id', {
    params: { id },
    body: { database_connection: changes },
    version
  })
}

export function testDatabaseConnection(id: number): Promise<DatabaseConnectionTest> {
  return connections.call('POST /database_connections/:id/test', { params: { id } })
}

export async function deleteDatabaseConnection(id: number): Promise<void> {
  await connections.call('DELETE /database_connections/:id', { params: { id } })
}
