import { mailingListById } from '../../api/mailing-lists/queries.ts'
import type { Caller } from '../../http/caller.ts'
import { ok } from '../../http/envelope.ts'
import { serve } from '../../http/serve.ts'
import { namedOf } from '../named-settings.ts'
import { tableViewEndpoints } from './endpoints.ts'
import type { ViewSettings } from './schema.ts'

/** /app/v1/mailing_lists/:id/table_views: ways to look at the table of subscribers. */
export const tableViewRoutes = serve(tableViewEndpoints, ({ reader, writer }) => {
  const listOf = ({ organizationId }: Caller, mailingListId: number) => ({ organizationId, mailingListId })
  const views = async (mailingListId: number) =>
    ok(await namedOf<ViewSettings>(reader, 'table_views', mailingListId))
  return {
    'GET /mailing_lists/:mailing_list_id/table_views': async ({ caller, params }) => {
      await mailingListById(reader, caller.organizationId, params.mailing_list_id)
      return views(params.mailing_list_id)
    },

    'PUT /mailing_lists/:mailing_list_id/table_views': async ({ caller, params, body }) => {
      const { name, ...settings } = body
      await writer.run('tableViews.save', { ...listOf(caller, params.mailing_list_id), name, settings })
      return views(params.mailing_list_id)
    },

    'DELETE /mailing_lists/:mailing_list_id/table_views/:id': async ({ caller, params }) => {
      await writer.run('tableViews.delete', { ...listOf(caller, params.mailing_list_id), id: params.id })
      return views(params.mailing_list_id)
    }
  }
})
