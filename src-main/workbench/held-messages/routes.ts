import { type MailingListRow, localListById } from '../../api/mailing-lists/queries.ts'
import type { Caller } from '../../http/caller.ts'
import { ok } from '../../http/envelope.ts'
import type { MailingListParams } from '../../http/schema.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { heldMessageEndpoints } from './endpoints.ts'

export const heldMessageRoutes = serveEndpoints(heldMessageEndpoints, ({ reader, writer }) => {
  return {
    'GET /mailing_lists/:mailing_list_id/held_messages': async ({ caller, params }) => {
      const { id } = await listOf(caller, params)
      const { messages } = await reader
        .selectFrom('autoresponders')
        .innerJoin('autoresponder_reactions', 'autoresponder_id', 'autoresponders.id')
        .select((select) => select.fn.countAll<number>().as('messages'))
        .where('mailing_list_id', '=', id)
        .where('is_held', '=', 1)
        .executeTakeFirstOrThrow()
      return ok({ messages })
    },

    'POST /mailing_lists/:mailing_list_id/held_messages/send': async ({ caller, params }) => {
      await decide(caller, params, true)
      return ok(null)
    },

    'DELETE /mailing_lists/:mailing_list_id/held_messages': async ({ caller, params }) => {
      await decide(caller, params, false)
      return ok(null)
    }
  }

  function listOf({ organizationId }: Caller, params: MailingListParams): Promise<MailingListRow> {
    return localListById(reader, organizationId, params.mailing_list_id, 'autoresponders')
  }

  async function decide(caller: Caller, params: MailingListParams, sends: boolean): Promise<void> {
    const { id: mailingListId } = await listOf(caller, params)
    const { organizationId } = caller
    while (await writer.run('autoresponders.decideHeld', { organizationId, mailingListId, sends }));
  }
})
