import { type Static, Type } from 'typebox'
import { Filled, Nullable, Timestamp, WindowFault } from '../http/schema.ts'

/** Rows that wait are counted up to so many: more would hold up other calls. */
export const mostWaiting = 100_000

export const WriteBackChanges = Type.Object({
  is_enabled: Type.Optional(Type.Boolean()),
  /** The table in the list's database; a schema may stand before it, with a dot between. */
  table_name: Type.Optional(Filled({ maxLength: 200 }))
})
export type WriteBackChanges = Static<typeof WriteBackChanges>

/** How the unsubscribes, bounces and complaints of a Remote List are written into a table of its database. */
export const WriteBack = Type.Object({
  is_enabled: Type.Boolean(),
  table_name: Type.String(),
  /** The statement that creates the table; null while only the name of the database is known. */
  create_sql: Nullable(Type.String()),
  /** Rows that have yet to be written; {@link mostWaiting} = so many or more. */
  waiting: Type.Integer(),
  /** When the table was last found to take rows; null = it was not tried yet, or refuses them. */
  checked_at: Nullable(Timestamp),
  /** When rows were last written; null = never. */
  written_at: Nullable(Timestamp),
  /** Why rows could not be written the last time; null = they could. */
  error_message: Nullable(Type.String()),
  fault: WindowFault
})
export type WriteBack = Static<typeof WriteBack>
