import { type Static, Type } from 'typebox'
import { StatusCounts } from '../../api/subscriber-counts/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { Fault } from '../../http/schema.ts'

const SubscriberGrowth = Type.Object({
  /** The counts at the end of each known day; today's are current. */
  days: Type.Array(
    Type.Object({
      /** YYYY-MM-DD in the zone of the organization. */
      day: Type.String(),
      counts: StatusCounts
    })
  ),
  /** The growth of each list's active subscribers. */
  lists: Type.Array(
    Type.Object({
      mailing_list_id: Type.Integer(),
      last_7_days: Type.Integer(),
      last_30_days: Type.Integer()
    })
  )
})
export type SubscriberGrowth = Static<typeof SubscriberGrowth>

const DiskSpace = Type.Object({
  /** Bytes that are left on the disk of the data directory. */
  free: Type.Integer(),
  /** True if space is low: an import may stop, or an update may not back up the data. */
  is_low: Type.Boolean()
})
export type DiskSpace = Static<typeof DiskSpace>

/** Work with a database that failed. It is tried again. */
const DatabaseFault = Type.Object({
  work: Type.Enum(['write_back', 'import_schedule']),
  /** Of the write-back or repeated import. */
  id: Type.Integer(),
  mailing_list: Type.Object({ id: Type.Integer(), name: Type.String() }),
  fault: Fault
})
export type DatabaseFault = Static<typeof DatabaseFault>

export const homeEndpoints = unlistedEndpoints({
  'GET /subscriber_growth': { access: 'signed_in', answer: envelope(SubscriberGrowth) },

  /** Users who may not import get no faults of repeated imports. */
  'GET /database_faults': { access: 'signed_in', answer: envelope(Type.Array(DatabaseFault)) },

  'GET /disk_space': { access: 'signed_in', answer: envelope(DiskSpace) }
})
