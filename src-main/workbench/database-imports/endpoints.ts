import { type Static, Type } from 'typebox'
import { Reading } from '../../contact-files/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { Fault, Filled, IdParams, MailingListParams, Nullable, Timestamp } from '../../http/schema.ts'
import { databaseEngines } from '../../remote-databases/schema.ts'
import { importOptions, readingLimits } from '../file-analyses/endpoints.ts'

const Query = Filled({ maxLength: 100_000 })

const DatabaseSource = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  engine: Type.Enum([...databaseEngines])
})
export type DatabaseSource = Static<typeof DatabaseSource>

/** How often an import can be repeated, in minutes. */
export const scheduleIntervals = [15, 60, 1440, 10_080] as const
export type ScheduleInterval = (typeof scheduleIntervals)[number]

const Interval = Type.Enum([...scheduleIntervals])

const ImportSchedule = Type.Object({
  id: Type.Integer(),
  database_connection: Type.Object({ id: Type.Integer(), name: Type.String() }),
  query: Type.String(),
  every_minutes: Type.Integer(),
  is_enabled: Type.Boolean(),
  next_at: Timestamp,
  last_import_id: Nullable(Type.Integer()),
  /** Why it could not begin the last time. */
  fault: Nullable(Fault)
})
export type ImportSchedule = Static<typeof ImportSchedule>

const importing = { access: 'subscriber.import' } as const

export const databaseImportEndpoints = unlistedEndpoints({
  /** The databases that the organization may import from. */
  'GET /database_sources': { ...importing, answer: envelope(Type.Array(DatabaseSource)) },

  /** Writes the rows of a query into the upload directory. */
  'POST /database_uploads': {
    ...importing,
    body: Type.Object({ database_connection_id: Type.Integer(), query: Query }),
    answer: envelope(Type.Object({ filename: Type.String(), rows: Type.Integer() }))
  },

  'GET /mailing_lists/:mailing_list_id/import_schedules': {
    ...importing,
    params: MailingListParams,
    answer: envelope(Type.Array(ImportSchedule))
  },

  'POST /mailing_lists/:mailing_list_id/import_schedules': {
    ...importing,
    params: MailingListParams,
    ...readingLimits,
    body: Type.Object({
      database_connection_id: Type.Integer(),
      query: Query,
      reading: Reading,
      every_minutes: Interval,
      ...importOptions
    }),
    answer: envelope(ImportSchedule)
  },

  'PUT /import_schedules/:id': {
    ...importing,
    params: IdParams,
    body: Type.Object({
      /** It must return the same columns. */
      query: Type.Optional(Query),
      is_enabled: Type.Optional(Type.Boolean()),
      every_minutes: Type.Optional(Interval),
      /** True = the next one begins at once. */
      begins_now: Type.Optional(Type.Boolean())
    }),
    answer: envelope(ImportSchedule)
  },

  'DELETE /import_schedules/:id': { ...importing, params: IdParams, answer: envelope(Type.Null()) }
})
