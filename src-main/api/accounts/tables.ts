import type { ColumnType, Generated } from 'kysely'
import type { Time, Flag, Fixed } from '../../database/schema.ts'

export interface ApiKeysTable {
  id: Generated<number>
  organization_id: number
  user_id: number
  name: string
  /** SHA-256 of the key. Keys have 160 random bits, so a slower hash is not needed. */
  key_hash: Buffer
  created_at: Fixed<Time>
  /** To the minute; null = never. */
  last_used_at: ColumnType<Time | null, Time | null | undefined, Time | null>
  /** 1 if it is deleted when the application ends, or at its next start. */
  ends_with_process: ColumnType<Flag, Flag | undefined, never>
}

export interface WindowSessionsTable {
  id: Generated<number>
  /** SHA-256 of the token that the window sends with each call. */
  token_hash: Buffer
  /** The organization that the window shows; system administrators may choose. */
  organization_id: number
  user_id: number
  /** The API key that opened it and ends it; null = a password, or a link of the application. */
  api_key_id: number | null
  /** At most 300 characters. */
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
    /** Identified by the user: "created" is a sign-in or a failed attempt, "deleted" a sign-out. */
    sign_in: unknown
  }
}
