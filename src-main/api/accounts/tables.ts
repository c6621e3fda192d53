import type { ColumnType, Generated } from 'kysely'
import type { Time, Flag, Fixed } from '../../database/schema.ts'

export interface ApiKeysTable {
  id: Generated<number>
  organization_id: number
  user_id: number
  name: string
  /** SHA-256 of the key. A key has 160 random bits, so nothing slower is needed. */
  key_hash: Buffer
  created_at: Fixed<Time>
  /** To the minute; null = never. */
  last_used_at: ColumnType<Time | null, Time | null | undefined, Time | null>
  /** Whether it is removed when the application ends, or at its next start. */
  ends_with_process: ColumnType<Flag, Flag | undefined, never>
}

export interface WindowSessionsTable {
  token_hash: Buffer
  /** Which one the window shows: the user's, or for system administrators any. */
  organization_id: number
  user_id: number
  created_at: Fixed<Time>
  expires_at: Time
}

declare module '../../database/schema.ts' {
  interface Schema {
    api_keys: ApiKeysTable
    window_sessions: WindowSessionsTable
  }
  interface ChangedEntities {
    api_key: unknown
    /** Named by the user: created by who signs in, and by who fails to; deleted by who signs out. */
    sign_in: unknown
  }
}
