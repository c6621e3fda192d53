import type { ColumnType, Generated } from 'kysely'
import type { CredentialPlace } from '../../base/credential-places.ts'
import type { Fixed, Json, Time } from '../../database/schema.ts'
import type { DatabaseEngine, TlsMode } from '../../remote-databases/schema.ts'

/** A database that Remote Lists and imports read from. Its password is kept elsewhere (base/credentials.ts). */
export interface DatabaseConnectionsTable {
  id: Generated<number>
  name: string
  name_key: string
  /** null = only its name is known. */
  engine: DatabaseEngine | null
  host: string
  port: number
  database: string
  username: string
  tls: TlsMode
  authorities: string
  /** Ids of the organizations that may import from it, beside the System Organization. */
  organization_ids: Json
  /** Seconds. */
  time_limit: number
  /** null = it has none. */
  credential_place: ColumnType<
    CredentialPlace | null,
    CredentialPlace | null | undefined,
    CredentialPlace | null
  >
  created_at: Fixed<Time>
  updated_at: Time
}

declare module '../../database/schema.ts' {
  interface Schema {
    database_connections: DatabaseConnectionsTable
  }
  interface ChangedEntities {
    database_connection: unknown
  }
}
