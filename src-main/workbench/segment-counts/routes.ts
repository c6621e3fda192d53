import { ok } from '../../http/envelope.ts'
import { localListById, mailingListById, mailingListsOf } from '../../api/mailing-lists/queries.ts'
import { readCheckedConditions } from '../../api/segments/commands.ts'
import {
  clauseOf,
  requireListsOf,
  segmentsReferringTo,
  storedSegmentById
} from '../../api/segments/queries.ts'
import { momentIn, resolveConditions } from '../../api/segments/settled.ts'
import { Faults } from '../../base/errors.ts'
import { requirePermissionsFor } from '../choice/condition-permissions.ts'
import { segmentCountEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

/** Counts the members of a stored segment, or of one that is being edited, by status. */
export const segmentCountRoutes = serveEndpoints(segmentCountEndpoints, ({ reader, segments }) => ({
  'GET /segments/:id/counts': async ({ caller, params }) => {
    const row = await storedSegmentById(reader, caller.organizationId, params.id)
    const clause = clauseOf(row)
    await requireListsOf(reader, clause)
    requirePermissionsFor(caller, clause)
    const settled = resolveConditions(clause, momentIn(caller.timeZone))
    return ok(await segments.count({ mailingListId: row.mailing_list_id, clause: settled }))
  },

  'GET /mailing_lists/:mailing_list_id/referring_segments': async ({ caller, params }) => {
    const { id } = await mailingListById(reader, caller.organizationId, params.mailing_list_id)
    const rows = await segmentsReferringTo(reader, caller.organizationId, id)
    const lists = new Map(
      (await mailingListsOf(reader, caller.organizationId)).map((list) => [list.id, list.name])
    )
    return ok(
      rows.map((row) => ({
        id: row.id,
        name: row.name,
        mailing_list_name: lists.get(row.mailing_list_id) ?? ''
      }))
    )
  },

  'POST /mailing_lists/:mailing_list_id/segment_counts': async ({ caller, params, body }) => {
    const list = await localListById(reader, caller.organizationId, params.mailing_list_id, 'segments')
    const faults = new Faults()
    const owner = { organizationId: caller.organizationId, mailingListId: list.id }
    const clause = await readCheckedConditions(reader, owner, body.clause, 'clause', faults)
    faults.throwIfAny()
    requirePermissionsFor(caller, clause)
    const settled = resolveConditions(clause, momentIn(caller.timeZone))
    return ok(await segments.count({ mailingListId: list.id, clause: settled }))
  }
}))
