import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Caller } from '../../http/caller.ts'
import { envelope, ok, okPage, pagedEnvelope } from '../../http/envelope.ts'
import { localListById } from '../mailing-lists/queries.ts'
import { PageQuery } from '../../http/pagination.ts'
import { IdParams, MailingListParams, wrapped } from '../../http/schema.ts'
import {
  allSegments,
  presentCriteria,
  presentSegment,
  presentSegmentSummaries,
  storedSegmentById,
  storedSegments
} from './queries.ts'
import { Segment, SegmentationCriteria, SegmentChanges, SegmentInput, SegmentSummary } from './schema.ts'

const tags = ['Segments']
const ListQuery = Type.Object({
  ...PageQuery(2000),
  /** Exact, in any letter case. */
  name: Type.Optional(Type.String()),
  name_contains: Type.Optional(Type.String())
})

export const segmentRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer } = app.context

  app.get(
    '/segments',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'List the segments of all lists',
        querystring: ListQuery,
        response: { 200: pagedEnvelope(SegmentSummary) }
      }
    },
    async ({ caller, query }) => pageOf(caller, null, query)
  )

  app.get(
    '/mailing_lists/:mailing_list_id/segments',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'List the segments of a list',
        params: MailingListParams,
        querystring: ListQuery,
        response: { 200: pagedEnvelope(SegmentSummary) }
      }
    },
    async ({ caller, params, query }) => {
      await localListById(reader, caller.organizationId, params.mailing_list_id, 'segments')
      return pageOf(caller, params.mailing_list_id, query)
    }
  )

  app.post(
    '/mailing_lists/:mailing_list_id/segments',
    {
      config: { access: 'segmentation_criteria.create' },
      schema: {
        tags,
        summary: 'Create a segment',
        params: MailingListParams,
        querystring: Type.Object({ include_sql: Type.Boolean({ default: false }) }),
        body: wrapped('segmentation_criteria', SegmentInput),
        response: { 200: envelope(Segment) }
      }
    },
    async ({ caller, params, query, body }) => {
      const { organizationId } = caller
      const id = await writer.run('segments.create', {
        organizationId,
        mailingListId: params.mailing_list_id,
        segment: body.segmentation_criteria
      })
      const row = await storedSegmentById(reader, organizationId, id)
      return ok(await presentSegment(reader, row, { includeSql: query.include_sql }))
    }
  )

  app.get(
    '/segments/:id',
    {
      config: { access: 'signed_in' },
      schema: { tags, summary: 'Read a segment', params: IdParams, response: { 200: envelope(Segment) } }
    },
    async ({ caller, params }) => ok(await answer(caller, params.id))
  )

  app.put(
    '/segments/:id',
    {
      config: { access: 'segmentation_criteria.update' },
      schema: {
        tags,
        summary: 'Change a segment',
        params: IdParams,
        body: wrapped('segmentation_criteria', SegmentChanges),
        response: { 200: envelope(Segment) }
      }
    },
    async ({ caller, params, body }) => {
      await writer.run('segments.update', {
        organizationId: caller.organizationId,
        id: params.id,
        changes: body.segmentation_criteria
      })
      return ok(await answer(caller, params.id))
    }
  )

  app.delete(
    '/segments/:id',
    {
      config: { access: 'segmentation_criteria.delete' },
      schema: {
        tags,
        summary: 'Delete a segment',
        params: IdParams,
        response: { 200: envelope(Type.Null()) }
      }
    },
    async ({ caller, params }) => {
      await writer.run('segments.delete', { organizationId: caller.organizationId, id: params.id })
      return ok(null)
    }
  )

  app.get(
    '/segmentation_criterias',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'List all segments, ad hoc ones too, with their SQL',
        response: { 200: envelope(Type.Array(SegmentationCriteria)) }
      }
    },
    async ({ caller }) => {
      const rows = await allSegments(reader, caller.organizationId)
      return ok(rows.map((row) => presentCriteria(reader, row, caller.timeZone)))
    }
  )

  async function answer({ organizationId }: Caller, id: number): Promise<Segment> {
    return presentSegment(reader, await storedSegmentById(reader, organizationId, id))
  }

  async function pageOf(
    { organizationId }: Caller,
    mailingListId: number | null,
    query: { page: number; per_page: number; name?: string; name_contains?: string }
  ) {
    const { rows, total } = await storedSegments(reader, organizationId, mailingListId, query, query)
    return okPage(await presentSegmentSummaries(reader, rows), query, total)
  }
}
