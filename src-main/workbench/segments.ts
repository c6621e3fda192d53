import { presentSegment, storedSegmentById } from '../api/segments/queries.ts'
import { ok } from '../http/envelope.ts'
import { serve } from '../http/serve.ts'
import { windowSegmentEndpoints } from './endpoints/segments.ts'

/** Creating and changing segments with all the conditions that the window offers. */
export const windowSegmentRoutes = serve(windowSegmentEndpoints, ({ reader, writer }) => ({
  'POST /mailing_lists/:mailing_list_id/segments': async ({ caller, params, body }) => {
    const id = await writer.run('segments.create', {
      organizationId: caller.organizationId,
      mailingListId: params.mailing_list_id,
      segment: body.segmentation_criteria,
      grammar: 'window'
    })
    return ok(await presentSegment(reader, await storedSegmentById(reader, caller.organizationId, id)))
  },

  'PUT /segments/:id': async ({ caller, params, body }) => {
    const { organizationId } = caller
    await writer.run('segments.update', {
      organizationId,
      id: params.id,
      changes: body.segmentation_criteria,
      grammar: 'window'
    })
    return ok(await presentSegment(reader, await storedSegmentById(reader, organizationId, params.id)))
  }
}))
