import { type Static, Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { IdParams, MailingListParams } from '../../http/schema.ts'
import { ConditionsInput } from '../../api/segments/schema.ts'
import { StatusCounts } from '../../api/subscriber-counts/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

const ReferringSegment = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  mailing_list_name: Type.String()
})
export type ReferringSegment = Static<typeof ReferringSegment>

/** A segment of another list that has a condition on this one, and cannot be used any more once it is deleted. */
export const segmentCountEndpoints = unlistedEndpoints({
  'GET /segments/:id/counts': { access: 'signed_in', params: IdParams, answer: envelope(StatusCounts) },

  'GET /mailing_lists/:mailing_list_id/referring_segments': {
    access: 'signed_in',
    params: MailingListParams,
    answer: envelope(Type.Array(ReferringSegment))
  },

  'POST /mailing_lists/:mailing_list_id/segment_counts': {
    access: 'signed_in',
    params: MailingListParams,
    body: Type.Object({ clause: ConditionsInput }),
    answer: envelope(StatusCounts)
  }
})
