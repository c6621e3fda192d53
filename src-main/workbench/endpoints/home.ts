import { type Static, Type } from 'typebox'
import { StatusCounts } from '../../api/subscriber-counts/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'

const SubscriberGrowth = Type.Object({
  /** What the organization had at the end of each day since the first that is known of; today's is what it has now. */
  days: Type.Array(
    Type.Object({
      /** YYYY-MM-DD in the zone of the organization. */
      day: Type.String(),
      counts: StatusCounts
    })
  ),
  /** By how many active subscribers each list has grown. */
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
  /** Whether that is little: an import may come to a halt, or no copy be kept of the data at an update. */
  is_low: Type.Boolean()
})
export type DiskSpace = Static<typeof DiskSpace>

export const homeEndpoints = unlistedEndpoints({
  'GET /subscriber_growth': { access: 'signed_in', answer: envelope(SubscriberGrowth) },

  'GET /disk_space': { access: 'signed_in', answer: envelope(DiskSpace) }
})
