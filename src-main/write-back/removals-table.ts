import type { Selectable } from 'kysely'
import type { RemoteRemovalsTable } from '../api/remote-lists/tables.ts'
import { quotedTable } from '../remote-databases/quoting.ts'
import type { RemoteTable } from '../remote-databases/remote-database.ts'
import type { DatabaseEngine } from '../remote-databases/schema.ts'

export type RemovalRow = Selectable<RemoteRemovalsTable>

export const defaultTableName = 'listwright_removals'

/** The columns of the table, and their types in each engine. */
const columns = {
  event_id: { postgresql: 'CHAR(36) PRIMARY KEY', mysql: 'CHAR(36) PRIMARY KEY', sqlite: 'TEXT PRIMARY KEY' },
  reason: { postgresql: 'VARCHAR(11) NOT NULL', mysql: 'VARCHAR(11) NOT NULL', sqlite: 'TEXT NOT NULL' },
  email: { postgresql: 'VARCHAR(513) NOT NULL', mysql: 'VARCHAR(513) NOT NULL', sqlite: 'TEXT NOT NULL' },
  distinct_id: { postgresql: 'INTEGER', mysql: 'INTEGER', sqlite: 'INTEGER' },
  bounce_type: { postgresql: 'VARCHAR(5)', mysql: 'VARCHAR(5)', sqlite: 'TEXT' },
  bounce_code: { postgresql: 'VARCHAR(50)', mysql: 'VARCHAR(50)', sqlite: 'TEXT' },
  mailing_list_id: { postgresql: 'BIGINT NOT NULL', mysql: 'BIGINT NOT NULL', sqlite: 'INTEGER NOT NULL' },
  campaign_id: { postgresql: 'BIGINT', mysql: 'BIGINT', sqlite: 'INTEGER' },
  occurred_at: {
    postgresql: 'TIMESTAMP(3) NOT NULL',
    mysql: 'DATETIME(3) NOT NULL',
    sqlite: 'TEXT NOT NULL'
  }
} as const satisfies Record<string, Record<DatabaseEngine, string>>

/** Returns the statement that creates the table in an engine. */
export function createStatement(engine: DatabaseEngine, table: string): string {
  const lines = Object.entries(columns).map(([name, types]) => `  ${name} ${types[engine]}`)
  // Addresses may hold any letter.
  const options = engine === 'mysql' ? ' CHARACTER SET utf8mb4' : ''
  return `CREATE TABLE ${quotedTable(engine, table)} (\n${lines.join(',\n')}\n)${options};`
}

export function tableOf(name: string): RemoteTable {
  return { name, columns: Object.keys(columns), key: 'event_id' }
}

/** Returns a removal as a row of the table; the time is in UTC. */
export function rowOf(removal: RemovalRow): (string | number | null)[] {
  const { event_id, reason, email, distinct_id, bounce_type, bounce_code, occurred_at } = removal
  return [
    ...[event_id, reason, email, distinct_id, bounce_type, bounce_code],
    ...[removal.mailing_list_id, removal.campaign_id],
    new Date(occurred_at).toISOString().replace('T', ' ').replace('Z', '')
  ]
}
