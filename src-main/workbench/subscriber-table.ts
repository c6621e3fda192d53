import type { FastifyReply } from 'fastify'
import type { FieldDefinition } from '../api/custom-fields/rules.ts'
import { fieldsOfList } from '../api/custom-fields/queries.ts'
import { localListById } from '../api/mailing-lists/queries.ts'
import { readCheckedConditions } from '../api/segments/commands.ts'
import { fieldKindOf, type SortColumn, sortColumns } from '../api/segments/conditions.ts'
import { clauseOf, requireListsOf, segmentOfList } from '../api/segments/queries.ts'
import { momentIn, settle } from '../api/segments/settled.ts'
import { presentSubscriber } from '../api/subscribers/queries.ts'
import { Faults, validationFailed } from '../base/errors.ts'
import { okPage } from '../http/envelope.ts'
import { serve } from '../http/serve.ts'
import type { Sorting } from '../segments/chosen.ts'
import { requirePermissionsFor } from './condition-permissions.ts'
import { subscriberTableEndpoints } from './endpoints/subscriber-table.ts'

/** The subscribers of a list who meet conditions, a segment and a search, in any order, by page. */
export const subscriberTableRoutes = serve(subscriberTableEndpoints, ({ reader, segments }) => ({
  'POST /mailing_lists/:mailing_list_id/subscriber_table': async ({ caller, params, body }, reply) => {
    const signal = signalOf(reply)
    const list = await localListById(reader, caller.organizationId, params.mailing_list_id, 'subscribers')
    const fields = await fieldsOfList(reader, caller.organizationId, list.id)
    const owner = { organizationId: caller.organizationId, mailingListId: list.id }
    const faults = new Faults()
    const clause = await readCheckedConditions(reader, owner, body.clause, 'clause', faults)
    faults.throwIfAny()
    requirePermissionsFor(caller, clause)
    if (body.segment_id !== null) {
      clause.push(...clauseOf(await segmentOfList(reader, list.id, body.segment_id)))
    }
    await requireListsOf(reader, clause)
    const isText = ({ type }: FieldDefinition): boolean => fieldKindOf(type) === 'text'
    const page = await segments.choice(
      {
        mailingListId: list.id,
        clause: settle(clause, momentIn(caller.timeZone)),
        search: body.search.trim(),
        textFieldIds: fields.filter(isText).map(({ id }) => id),
        sorting: body.sort && { by: sortedBy(body.sort.by, fields), descending: body.sort.descending }
      },
      { position: body.page * body.per_page, limit: body.per_page },
      signal
    )
    const rows = page.rows.map((row) => presentSubscriber(row, list, fields, caller.timeZone))
    return { ...okPage(rows, body, page.total), is_stale: page.isStale }
  }
}))

/** @throws ApiError validation_failed for a field that is not there or has no order */
function sortedBy(by: SortColumn | number, fields: readonly FieldDefinition[]): Sorting['by'] {
  if (typeof by !== 'number') return { column: by }
  const field = fields.find(({ id }) => id === by)
  const kind = field && fieldKindOf(field.type)
  if (!kind || kind === 'options') {
    throw validationFailed(
      `sort.by must be one of ${sortColumns.join(', ')} or the id of a custom field with one value`
    )
  }
  return { fieldId: by, kind: kind === 'option' || kind === 'text' ? kind : 'number' }
}

/** Aborted when the caller went away: people type on while a search goes on. */
function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.on('close', () => controller.abort())
  return controller.signal
}
