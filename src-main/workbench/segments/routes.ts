import { localListById } from '../../api/mailing-lists/queries.ts'
import { readCheckedConditions } from '../../api/segments/commands.ts'
import { presentSegment, storedSegmentById } from '../../api/segments/queries.ts'
import { Faults } from '../../base/errors.ts'
import type { Caller } from '../../http/caller.ts'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { requirePermissionsFor } from '../choice/condition-permissions.ts'
import { windowSegmentEndpoints } from './endpoints.ts'

/** Creating and changing segments with all the conditions that the window offers. */
export const windowSegmentRoutes = serveEndpoints(windowSegmentEndpoints, ({ reader, writer }) => {
  return {
    'POST /mailing_lists/:mailing_list_id/segments': async ({ caller, params, body }) => {
      await requireAllowed(caller, params.mailing_list_id, body.segmentation_criteria.clause)
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
      const { mailing_list_id: listId } = await storedSegmentById(reader, organizationId, params.id)
      await requireAllowed(caller, listId, body.segmentation_criteria.clause)
      await writer.run('segments.update', {
        organizationId,
        id: params.id,
        changes: body.segmentation_criteria,
        grammar: 'window'
      })
      return ok(await presentSegment(reader, await storedSegmentById(reader, organizationId, params.id)))
    }
  }

  async function requireAllowed(
    caller: Caller,
    mailingListId: number,
    given: readonly object[]
  ): Promise<void> {
    await localListById(reader, caller.organizationId, mailingListId, 'segments')
    const faults = new Faults()
    const owner = { organizationId: caller.organizationId, mailingListId }
    const clause = await readCheckedConditions(reader, owner, given, 'clause', faults)
    faults.throwIfAny()
    requirePermissionsFor(caller, clause)
  }
})
