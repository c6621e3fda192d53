import { Type } from 'typebox'
import { envelope, pagedEnvelope } from '../../http/envelope.ts'
import { PageQuery } from '../../http/pagination.ts'
import { IdParams, MailingListParams, wrapped, withDefault } from '../../http/schema.ts'
import { Segment, SegmentationCriteria, SegmentChanges, SegmentInput, SegmentSummary } from './schema.ts'
import { endpoints } from '../../http/endpoint.ts'

const ListQuery = Type.Object({
  ...PageQuery(2000),
  /** Exact, ignoring case. */
  name: Type.Optional(Type.String()),
  name_contains: Type.Optional(Type.String())
})

export const segmentEndpoints = endpoints('Segments', {
  'GET /segments': {
    access: 'signed_in',
    summary: 'List the segments of all lists',
    query: ListQuery,
    answer: pagedEnvelope(SegmentSummary)
  },

  'GET /mailing_lists/:mailing_list_id/segments': {
    access: 'signed_in',
    summary: 'List the segments of a list',
    params: MailingListParams,
    query: ListQuery,
    answer: pagedEnvelope(SegmentSummary)
  },

  'POST /mailing_lists/:mailing_list_id/segments': {
    joinsFaults: true,
    access: 'segmentation_criteria.create',
    summary: 'Create a segment',
    params: MailingListParams,
    query: Type.Object({ include_sql: withDefault(Type.Boolean(), false) }),
    body: wrapped('segmentation_criteria', SegmentInput),
    answer: envelope(Segment)
  },

  'GET /segments/:id': {
    access: 'signed_in',
    summary: 'Read a segment',
    params: IdParams,
    answer: envelope(Segment)
  },

  'PUT /segments/:id': {
    joinsFaults: true,
    access: 'segmentation_criteria.update',
    summary: 'Change a segment',
    params: IdParams,
    body: wrapped('segmentation_criteria', SegmentChanges),
    answer: envelope(Segment)
  },

  'DELETE /segments/:id': {
    access: 'segmentation_criteria.delete',
    summary: 'Delete a segment',
    params: IdParams,
    answer: envelope(Type.Null())
  },

  'GET /segmentation_criterias': {
    access: 'signed_in',
    summary: 'List all segments, ad hoc ones too, with their SQL',
    answer: envelope(Type.Array(SegmentationCriteria))
  }
})
