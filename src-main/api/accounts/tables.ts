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
  id: Generated<number>
  /** SHA-256 of what the window sends with each call. */
  token_hash: Buffer
  /** Which one the window shows: the user's, or for system administrators any. */
  organization_id: number
  user_id: number
  /** The API key that opened it: the window ends with it. null = a password, or a link of the application itself. */
  api_key_id: number | null
  /** What the browser calls itself, at most 300 characters. */
  user_agent: string | null
  created_at: Fixed<Time>
  /** To the minute; null = never. */
  last_used_at: ColumnType<Time | null, Time | null | undefined, Time | null>
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
