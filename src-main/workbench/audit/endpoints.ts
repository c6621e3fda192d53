import { type Static, Type } from 'typebox'
import { auditedEntities } from '../../api/record-kinds.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { Nullable, Reference } from '../../http/schema.ts'
import { eventVias } from '../subscriber-page/endpoints.ts'

/** Missing properties match everything. */
export const AuditFilter = Type.Object({
  user_id: Type.Optional(Type.Integer()),
  via: Type.Optional(Type.Enum([...eventVias])),
  entity: Type.Optional(Type.Enum([...auditedEntities])),
  /** A single record of the entity. */
  record_id: Type.Optional(Type.Integer()),
  mailing_list_id: Type.Optional(Type.Integer()),
  /** Days of the organization's time zone, such as 2026-01-31; both included. */
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String())
})
export type AuditFilter = Static<typeof AuditFilter>

const Event = Type.Object({
  /** The id of the newest change in it. */
  id: Type.Integer(),
  at: Type.String(),
  /** When the first of several changes was made; null for a single change. */
  since: Nullable(Type.String()),
  entity: Type.Enum([...auditedEntities]),
  action: Type.Enum(['create', 'update', 'delete']),
  /** The number of records; null if counting would need to read each change. */
  records: Nullable(Type.Integer()),
  /**
   * The record if the event concerns exactly one. Its name is null if the record has no name, or if it was deleted and the name was
   * not stored.
   */
  record: Nullable(
    Type.Object({ id: Type.Integer(), name: Nullable(Type.String()), exists: Type.Boolean() })
  ),
  mailing_list: Nullable(Reference),
  via: Type.Enum([...eventVias]),
  user: Nullable(Reference),
  /** The API key, import, bulk action or server; its name is null where that is gone. */
  cause: Nullable(Type.Object({ id: Type.Integer(), name: Nullable(Type.String()) })),
  /**
   * How the change can be undone on its own: reverting an edit or restoring a deleted record; null = not at
   * all.
   */
  undo: Nullable(Type.Enum(['edit', 'deletion'])),
  /** The way a user signed in, or the reason of a failure. */
  sign_in: Nullable(Type.Enum(['password', 'link', 'wrong_password', 'locked_out', 'inactive'])),
  key_of: Nullable(Reference),
  /** Attributes by API name, custom fields by their own name; both values are null if they are not stored. */
  changes: Type.Array(
    Type.Object({
      attribute: Nullable(Type.String()),
      field: Nullable(Type.String()),
      before: Type.Unknown(),
      now: Type.Unknown()
    })
  )
})
export type AuditEvent = Static<typeof Event>

const AuditPage = Type.Object({
  /** The newest first. */
  events: Type.Array(Event),
  /** The next value of `before`; null = the end. A page may have few events or none before the end. */
  next: Nullable(Type.Integer())
})
export type AuditPage = Static<typeof AuditPage>

export const auditEndpoints = unlistedEndpoints({
  'GET /audit_log': {
    access: 'organization_admin',
    query: Type.Object({ ...AuditFilter.properties, before: Type.Optional(Type.Integer()) }),
    answer: envelope(AuditPage)
  },

  // Every change of its own, as CSV.
  'GET /audit_log/csv': { access: 'organization_admin', query: AuditFilter }
})
