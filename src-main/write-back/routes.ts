import { remoteListById } from '../api/remote-lists/queries.ts'
import { ok } from '../http/envelope.ts'
import { serveEndpoints } from '../http/serve.ts'
import { writeBackEndpoints } from './endpoints.ts'
import { presentWriteBack } from './queries.ts'

export const writeBackRoutes = serveEndpoints(writeBackEndpoints, ({ reader, writer }) => ({
  'GET /mailing_lists/:mailing_list_id/write_back': async ({ caller, params }) => {
    const { organizationId, timeZone } = caller
    const list = await remoteListById(reader, organizationId, params.mailing_list_id)
    return ok(await presentWriteBack(reader, list, timeZone))
  },

  'PUT /mailing_lists/:mailing_list_id/write_back': async ({ caller, params, body }) => {
    const { organizationId, timeZone } = caller
    const mailingListId = params.mailing_list_id
    await writer.run('writeBacks.update', { organizationId, mailingListId, changes: body.write_back })
    const list = await remoteListById(reader, organizationId, mailingListId)
    return ok(await presentWriteBack(reader, list, timeZone))
  }
}))
