import type { Caller } from '../../http/caller.ts'
import { ok } from '../../http/envelope.ts'
import { localListById, type MailingListRow } from '../mailing-lists/queries.ts'
import { requireAccess } from '../../http/permissions.ts'
import {
  autoresponderById,
  type AutoresponderRow,
  autorespondersOf,
  presentAutoresponders
} from './queries.ts'
import { Autoresponder } from './schema.ts'
import { upcomingMessages } from './upcoming.ts'
import { autoresponderEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

export const autoresponderRoutes = serveEndpoints(autoresponderEndpoints, ({ reader, writer }) => {
  return {
    'GET /mailing_lists/:mailing_list_id/autoresponders': async ({ caller, params }) => {
      const list = await localList(caller, params.mailing_list_id)
      const rows = await autorespondersOf(reader, list.id)
      return ok(await presentAutoresponders(reader, rows, caller.timeZone))
    },

    'GET /mailing_lists/:mailing_list_id/autoresponders/:autoresponder_id': async ({ caller, params }) => {
      const list = await localList(caller, params.mailing_list_id)
      return ok(await present(caller, await autoresponderById(reader, list.id, params.autoresponder_id)))
    },

    'GET /mailing_lists/:mailing_list_id/upcoming_messages': async ({ caller, params }) => {
      const list = await localList(caller, params.mailing_list_id)
      return ok(await upcomingMessages(reader, list.id, Date.now(), caller.timeZone))
    },

    'POST /mailing_lists/:mailing_list_id/autoresponders': async ({ caller, params, body }) => {
      const row = await writer.run('autoresponders.create', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        autoresponder: body.autoresponder
      })
      return ok(await present(caller, row))
    },

    'PUT /mailing_lists/:mailing_list_id/autoresponders/:autoresponder_id': async ({
      caller,
      params,
      body
    }) => {
      const { id: listId } = await localList(caller, params.mailing_list_id)
      const { paused_at: pausedAt } = await autoresponderById(reader, listId, params.autoresponder_id)
      const { paused = pausedAt !== null } = body.autoresponder
      if (paused !== (pausedAt !== null)) requireAccess(caller, 'autoresponder.update_state')
      if (Object.keys(body.autoresponder).some((key) => key !== 'paused')) {
        requireAccess(caller, 'autoresponder.update')
      }
      const row = await writer.run('autoresponders.update', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        id: params.autoresponder_id,
        changes: body.autoresponder
      })
      return ok(await present(caller, row))
    },

    'DELETE /mailing_lists/:mailing_list_id/autoresponders/:autoresponder_id': async ({ caller, params }) => {
      await writer.run('autoresponders.delete', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        id: params.autoresponder_id
      })
      return ok(null)
    }
  }

  function localList({ organizationId }: Caller, id: number): Promise<MailingListRow> {
    return localListById(reader, organizationId, id, 'autoresponders')
  }

  async function present(caller: Caller, row: AutoresponderRow): Promise<Autoresponder> {
    const [shown] = await presentAutoresponders(reader, [row], caller.timeZone)
    if (!shown) throw new Error(`autoresponder ${row.id} was not presented`)
    return shown
  }
})
