import { mailingListById } from '../../api/mailing-lists/queries.ts'
import type { Caller } from '../../http/caller.ts'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { Faults } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { readChoice } from '../choice/read-choice.ts'
import { namedOf } from '../named-settings/queries.ts'
import { sortedBy } from '../subscriber-table/routes.ts'
import { tableViewEndpoints } from './endpoints.ts'
import type { ViewSettings } from './schema.ts'

/** /app/v1/mailing_lists/:id/table_views: ways to look at the table of subscribers. */
export const tableViewRoutes = serveEndpoints(tableViewEndpoints, ({ reader, writer }) => {
  const listOf = ({ organizationId }: Caller, mailingListId: number) => ({ organizationId, mailingListId })
  const views = async (mailingListId: number) =>
    ok(await namedOf<ViewSettings>(reader, 'table_views', mailingListId))
  /** @throws ApiError validation_failed, not_found or not_authorized for what the table could not show */
  async function checkView(caller: Caller, listId: number, view: ViewSettings): Promise<void> {
    const { fields } = await readChoice(reader, caller, listId, { ...view, search: '' })
    if (view.sort) sortedBy(view.sort.by, fields)
    const keys = view.columns.map(({ key }) => key)
    const faults = new Faults()
    if (!keys.includes('email')) faults.add(refusal('columns_without_email', { field: 'columns' }))
    if (new Set(keys).size < keys.length) faults.add(refusal('columns_twice', { field: 'columns' }))
    faults.throwIfAny()
  }

  return {
    'GET /mailing_lists/:mailing_list_id/table_views': async ({ caller, params }) => {
      await mailingListById(reader, caller.organizationId, params.mailing_list_id)
      return views(params.mailing_list_id)
    },

    'PUT /mailing_lists/:mailing_list_id/table_views': async ({ caller, params, body }) => {
      const { name, ...settings } = body
      await checkView(caller, params.mailing_list_id, settings)
      await writer.run('tableViews.save', { ...listOf(caller, params.mailing_list_id), name, settings })
      return views(params.mailing_list_id)
    },

    'DELETE /mailing_lists/:mailing_list_id/table_views/:id': async ({ caller, params }) => {
      await writer.run('tableViews.delete', { ...listOf(caller, params.mailing_list_id), id: params.id })
      return views(params.mailing_list_id)
    }
  }
})
