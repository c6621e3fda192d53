import type { ColumnType, Generated } from 'kysely'
import type { ChangeVia } from './origin.ts'

/** UNIX milliseconds, UTC. */
export type Time = number
/** 0 or 1: SQLite has no booleans. */
export type Flag = number
/** JSON text; the reader of the column knows its shape. */
export type Json = string
/** Set when the row is written and never again. */
export type Fixed<T> = ColumnType<T, T, never>

/**
 * Written to at its end, and trimmed at its beginning by age (retention-rules.ts). One row covers a run of ids, so a batch of
 * an import adds one and not ten thousand.
 */
export interface ChangeLogTable {
  id: Generated<number>
  at: Time
  entity: ChangedEntity
  action: ChangeAction
  organization_id: number
  mailing_list_id: number | null
  first_id: number
  last_id: number
  /** The origin (origin.ts); null = the application itself, or an earlier version. */
  via: ChangeVia | null
  cause_id: number | null
  user_id: number | null
  /** {@link ChangedMembers}, packed; null = all from first_id to last_id. */
  members: Buffer | null
  /** The changes of a single record, in the form of its kind; the number of members; null = not stored. */
  details: Json | null
}

/** The tables by name. Each kind of record adds its own (tables.ts), by declaration merging. */
export interface Schema {
  change_log: ChangeLogTable
}

/** The kinds of records by their names in the change log; added like the tables. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- modules above this one fill it by declaration merging
export interface ChangedEntities {}

export type ChangedEntity = keyof ChangedEntities
export type ChangeAction = 'create' | 'update' | 'delete'
