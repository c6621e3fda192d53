import type { FieldDefinition } from '../../api/custom-fields/rules.ts'
import { fieldKindOf, type SortColumn, sortColumns } from '../../api/segments/conditions.ts'
import { subscriberWriter } from '../../api/subscribers/write-subscriber.ts'
import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { okPage } from '../../http/envelope.ts'
import { jsonArray, withData } from '../../http/json-text.ts'
import { serveEndpoints } from '../../http/serve.ts'
import type { Sorting } from '../../segments/chosen.ts'
import { signalOf } from '../../http/caller-signal.ts'
import { readChoice } from '../choice/read-choice.ts'
import { subscriberTableEndpoints } from './endpoints.ts'

/** The subscribers of a list by conditions, segment and search, in any order, in pages. */
export const subscriberTableRoutes = serveEndpoints(subscriberTableEndpoints, ({ reader, segments }) => ({
  'POST /mailing_lists/:mailing_list_id/subscriber_table': async ({ caller, params, body }, reply) => {
    const signal = signalOf(reply)
    const { list, fields, choice } = await readChoice(reader, caller, params.mailing_list_id, body)
    const sorting = body.sort && { by: sortedBy(body.sort.by, fields), descending: body.sort.descending }
    const part = { position: body.page * body.per_page, limit: body.per_page }
    const page = await segments.choice({ ...choice, sorting }, part, signal)
    const rows = jsonArray(page.rows, subscriberWriter(list, fields, caller.timeZone))
    return withData({ ...okPage(null, body, page.total), is_stale: page.isStale }, rows)
  }
}))

/** @throws ApiError validation_failed for a field that is not there or has no order */
export function sortedBy(by: SortColumn | number, fields: readonly FieldDefinition[]): Sorting['by'] {
  if (typeof by !== 'number') return { column: by }
  const field = fields.find(({ id }) => id === by)
  const kind = field && fieldKindOf(field.type)
  if (!kind || kind === 'options') {
    throw validationFailed(refusal('sort_by', { field: 'sort.by', columns: sortColumns }))
  }
  return { fieldId: by, kind: kind === 'option' || kind === 'text' ? kind : 'number' }
}
