import type { Caller } from '../../http/caller.ts'
import { ok, okPage } from '../../http/envelope.ts'
import type { Page } from '../../http/pagination.ts'
import { localListById } from '../mailing-lists/queries.ts'
import {
  allSegments,
  presentCriteria,
  presentSegment,
  presentSegmentSummaries,
  type SegmentFilter,
  storedSegmentById,
  storedSegments
} from './queries.ts'
import { Segment } from './schema.ts'
import { momentIn } from './settled.ts'
import { segmentEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

export const segmentRoutes = serveEndpoints(segmentEndpoints, ({ reader, writer }) => {
  return {
    'GET /segments': async ({ caller, query }) => pageOf(caller, null, query),

    'GET /mailing_lists/:mailing_list_id/segments': async ({ caller, params, query }) => {
      await localListById(reader, caller.organizationId, params.mailing_list_id, 'segments')
      return pageOf(caller, params.mailing_list_id, query)
    },

    'POST /mailing_lists/:mailing_list_id/segments': async ({ caller, params, query, body }) => {
      const { organizationId } = caller
      const id = await writer.run('segments.create', {
        organizationId,
        mailingListId: params.mailing_list_id,
        segment: body.segmentation_criteria,
        grammar: 'api'
      })
      const row = await storedSegmentById(reader, organizationId, id)
      return ok(await presentSegment(reader, row, query.include_sql ? momentIn(caller.timeZone) : null))
    },

    'GET /segments/:id': async ({ caller, params }) => ok(await answer(caller, params.id)),

    'PUT /segments/:id': async ({ caller, params, body }) => {
      await writer.run('segments.update', {
        organizationId: caller.organizationId,
        id: params.id,
        changes: body.segmentation_criteria,
        grammar: 'api'
      })
      return ok(await answer(caller, params.id))
    },

    'DELETE /segments/:id': async ({ caller, params }) => {
      await writer.run('segments.delete', { organizationId: caller.organizationId, id: params.id })
      return ok(null)
    },

    'GET /segmentation_criterias': async ({ caller }) => {
      const rows = await allSegments(reader, caller.organizationId)
      return ok(rows.map((row) => presentCriteria(reader, row, momentIn(caller.timeZone))))
    }
  }

  async function answer({ organizationId }: Caller, id: number): Promise<Segment> {
    return presentSegment(reader, await storedSegmentById(reader, organizationId, id))
  }

  async function pageOf(
    { organizationId }: Caller,
    mailingListId: number | null,
    query: Page & SegmentFilter
  ) {
    const { rows, total } = await storedSegments(reader, organizationId, mailingListId, query, query)
    return okPage(await presentSegmentSummaries(reader, rows), query, total)
  }
})
