import { type Static, Type } from 'typebox'
import { Reference } from '../../http/schema.ts'

export const StatusCounts = Type.Object({
  active: Type.Integer(),
  bounced: Type.Integer(),
  unsubscribed: Type.Integer(),
  scomp: Type.Integer(),
  deactivated: Type.Integer()
})
export type StatusCounts = Static<typeof StatusCounts>

/** docs/api.md, "Counts". */
export const SubscriberCounts = Type.Object({
  organization: Reference,
  counts: StatusCounts,
  mailing_lists: Type.Array(Type.Object({ mailing_list: Reference, counts: StatusCounts }))
})
export type SubscriberCounts = Static<typeof SubscriberCounts>
