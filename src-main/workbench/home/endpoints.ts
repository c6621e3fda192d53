import { type Static, Type } from 'typebox'
import { StatusCounts } from '../../api/subscriber-counts/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'

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

export const homeEndpoints = unlistedEndpoints({
  'GET /subscriber_growth': { access: 'signed_in', answer: envelope(SubscriberGrowth) },

  'GET /disk_space': { access: 'signed_in', answer: envelope(DiskSpace) }
})
