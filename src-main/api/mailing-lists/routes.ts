import { checkRun } from '../../database/check-run.ts'
import { formatTime } from '../../base/times.ts'
import { ok } from '../../http/envelope.ts'
import { mailingListById, mailingListsOf, presentMailingList, presentMailingLists } from './queries.ts'
import { MailingList } from './schema.ts'
import { mailingListEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

export const mailingListRoutes = serveEndpoints(mailingListEndpoints, ({ reader, writer, rekeyer }) => {
  return {
    'GET /mailing_lists': async ({ caller }) => {
      const rows = await mailingListsOf(reader, caller.organizationId)
      return ok(await presentMailingLists(reader, caller.organizationId, rows))
    },

    'POST /mailing_lists': async ({ caller, body }) => {
      const { organizationId } = caller
      const id = await writer.run('mailingLists.create', { organizationId, list: body.mailing_list })
      return ok(await answer(organizationId, id))
    },

    'GET /mailing_lists/:mailing_list_id': async ({ caller, params }) =>
      ok(await answer(caller.organizationId, params.mailing_list_id)),

    'PUT /mailing_lists/:mailing_list_id': async ({ caller, params, body }) => {
      const { organizationId } = caller
      const id = params.mailing_list_id
      const { primary_key_custom_field_id: fieldId, ...changes } = body.mailing_list
      // A check without writing validates the attributes; a change of the key is validated by the phases
      // themselves.
      if (fieldId !== undefined && !checkRun.getStore())
        await rekeyer.rekey({ organizationId, id, changes, fieldId })
      await writer.run('mailingLists.update', { organizationId, id, changes })
      return ok(await answer(organizationId, id))
    },

    'GET /mailing_lists/:mailing_list_id/delete_confirmation_code': async ({ caller, params }) => {
      const { code, expiresAt } = await writer.run('mailingLists.issueDeleteConfirmation', {
        organizationId: caller.organizationId,
        id: params.mailing_list_id
      })
      return ok({
        delete_confirmation_code: code,
        delete_confirmation_expires_at: formatTime(expiresAt, caller.timeZone)
      })
    },

    'DELETE /mailing_lists/:mailing_list_id/confirmed/:delete_confirmation_code': async ({
      caller,
      params
    }) => {
      await writer.run('mailingLists.delete', {
        organizationId: caller.organizationId,
        id: params.mailing_list_id,
        code: params.delete_confirmation_code
      })
      return ok(null)
    }
  }

  async function answer(organizationId: number, id: number): Promise<MailingList> {
    return presentMailingList(reader, await mailingListById(reader, organizationId, id))
  }
})
