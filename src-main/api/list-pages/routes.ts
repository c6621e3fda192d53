import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { mailingListById } from '../mailing-lists/queries.ts'
import { listPagesEndpoints } from './endpoints.ts'
import { listPagesOf } from './queries.ts'

export const listPagesRoutes = serveEndpoints(listPagesEndpoints, ({ reader, writer }) => ({
  'GET /mailing_lists/:mailing_list_id/public_pages': async ({ caller, params }) => {
    const list = await mailingListById(reader, caller.organizationId, params.mailing_list_id)
    return ok(await listPagesOf(reader, list.id))
  },

  'PUT /mailing_lists/:mailing_list_id/public_pages': async ({ caller, params, body }) => {
    const { organizationId } = caller
    const named = { organizationId, mailingListId: params.mailing_list_id }
    return ok(await writer.run('listPages.update', { ...named, changes: body.public_pages }))
  }
}))
