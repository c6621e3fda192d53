import type { ColumnType, Generated } from 'kysely'
import type { StoredRefusal } from '../../base/stored-refusal.ts'
import type { Fixed, Flag, Json, Time } from '../../database/schema.ts'

/** The recipients of a campaign that were read from a database into a file, once all of them are there. */
export interface SpoolsTable {
  campaign_id: number
  /** The file has the same key. */
  file_key: string
  /** Names of the columns that codes take values from. */
  columns: Json
  recipients: number
  /** When the database was asked. */
  read_at: Time
}

/** A recipient of a Remote List whose message was handed over. */
export interface RemoteRecipientsTable {
  campaign_id: Fixed<number>
  /** 1 = the first recipient of the campaign. */
  seq_id: Fixed<number>
  email: Fixed<string>
  /** {@link emailHashOf} of the address. */
  email_hash: Fixed<number>
  distinct_id: Fixed<number | null>
}

export type RemovalReason = 'unsubscribe' | 'bounce' | 'complaint'
export type BounceType = 'hard' | 'soft' | 'other'

/** An unsubscribe, a bounce or a complaint of a recipient of a Remote List. */
export interface RemoteRemovalsTable {
  id: Generated<number>
  mailing_list_id: Fixed<number>
  campaign_id: Fixed<number | null>
  seq_id: Fixed<number>
  email: Fixed<string>
  email_key: Fixed<string>
  distinct_id: Fixed<number | null>
  reason: Fixed<RemovalReason>
  /** null = it is no bounce. */
  bounce_type: Fixed<BounceType | null>
  bounce_code: Fixed<string | null>
  occurred_at: Fixed<Time>
  /** When it became known here: a gate tells of it later. */
  recorded_at: Fixed<Time>
  /** Its primary key in the other database. */
  event_id: Fixed<string>
  /** When it was written back; null = it was not. */
  written_at: ColumnType<Time | null, undefined, Time | null>
}

/** Whether and where removals of a Remote List are written back. */
export interface WriteBacksTable {
  id: Generated<number>
  mailing_list_id: Fixed<number>
  is_enabled: Flag
  /** May have a schema before it, with a dot between. */
  table_name: string
  /** When it is tried next, after a fault. */
  next_at: ColumnType<Time, undefined, Time>
  /** Failed attempts in a row. */
  failures: ColumnType<number, undefined, number>
  fault: ColumnType<StoredRefusal | null, undefined, StoredRefusal | null>
  /** When the table was last found to take rows; null = it was not tried yet, or refuses them. */
  checked_at: ColumnType<Time | null, undefined, Time | null>
  /** When it last wrote something. */
  written_at: ColumnType<Time | null, undefined, Time>
  updated_at: Time
}

declare module '../../database/schema.ts' {
  interface Schema {
    spools: SpoolsTable
    remote_recipients: RemoteRecipientsTable
    remote_removals: RemoteRemovalsTable
    write_backs: WriteBacksTable
  }
  interface ChangedEntities {
    write_back: unknown
  }
}
