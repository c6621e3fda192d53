import { envelope } from '../../http/envelope.ts'
import { IdParams, MailingListParams, wrapped } from '../../http/schema.ts'
import { Segment, WindowSegmentInput } from '../../api/segments/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

/** Segments with conditions beyond those that a request of the v2 API may bring. */
export const windowSegmentEndpoints = unlistedEndpoints({
  'POST /mailing_lists/:mailing_list_id/segments': {
    access: 'segmentation_criteria.create',
    params: MailingListParams,
    body: wrapped('segmentation_criteria', WindowSegmentInput),
    answer: envelope(Segment)
  },

  'PUT /segments/:id': {
    access: 'segmentation_criteria.update',
    params: IdParams,
    body: wrapped('segmentation_criteria', WindowSegmentInput),
    answer: envelope(Segment)
  }
})
