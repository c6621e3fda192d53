import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Caller } from '../../http/caller.ts'
import { envelope, ok } from '../../http/envelope.ts'
import { localListById, type MailingListRow } from '../mailing-lists/queries.ts'
import { requirePermission } from '../../http/permissions.ts'
import { MailingListParams, wrapped } from '../../http/schema.ts'
import {
  autoresponderById,
  type AutoresponderRow,
  autorespondersOf,
  presentAutoresponders
} from './queries.ts'
import { Autoresponder, AutoresponderChanges, AutoresponderInput } from './schema.ts'

const tags = ['Autoresponders']
const AutoresponderParams = Type.Object({
  ...MailingListParams.properties,
  autoresponder_id: Type.Integer({ minimum: 1 })
})

export const autoresponderRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer } = app.context

  app.get(
    '/mailing_lists/:mailing_list_id/autoresponders',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'List the autoresponders of a list',
        params: MailingListParams,
        response: { 200: envelope(Type.Array(Autoresponder)) }
      }
    },
    async ({ caller, params }) => {
      const list = await localList(caller, params.mailing_list_id)
      const rows = await autorespondersOf(reader, list.id)
      return ok(await presentAutoresponders(reader, rows, caller.timeZone))
    }
  )

  app.get(
    '/mailing_lists/:mailing_list_id/autoresponders/:autoresponder_id',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'Read an autoresponder',
        params: AutoresponderParams,
        response: { 200: envelope(Autoresponder) }
      }
    },
    async ({ caller, params }) => {
      const list = await localList(caller, params.mailing_list_id)
      return ok(await present(caller, await autoresponderById(reader, list.id, params.autoresponder_id)))
    }
  )

  app.post(
    '/mailing_lists/:mailing_list_id/autoresponders',
    {
      config: { access: 'autoresponder.create' },
      schema: {
        tags,
        summary: 'Create an autoresponder',
        params: MailingListParams,
        body: wrapped('autoresponder', AutoresponderInput),
        response: { 200: envelope(Autoresponder) }
      }
    },
    async ({ caller, params, body }) => {
      const row = await writer.run('autoresponders.create', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        autoresponder: body.autoresponder
      })
      return ok(await present(caller, row))
    }
  )

  app.put(
    '/mailing_lists/:mailing_list_id/autoresponders/:autoresponder_id',
    {
      config: { access: ['autoresponder.update', 'autoresponder.update_state'] },
      schema: {
        tags,
        summary: 'Change an autoresponder, or pause it and let it go on',
        params: AutoresponderParams,
        body: wrapped('autoresponder', AutoresponderChanges),
        response: { 200: envelope(Autoresponder) }
      }
    },
    async ({ caller, params, body }) => {
      const { id: listId } = await localList(caller, params.mailing_list_id)
      const { paused_at: pausedAt } = await autoresponderById(reader, listId, params.autoresponder_id)
      const { paused = pausedAt !== null } = body.autoresponder
      if (paused !== (pausedAt !== null)) requirePermission(caller, 'autoresponder.update_state')
      if (Object.keys(body.autoresponder).some((key) => key !== 'paused')) {
        requirePermission(caller, 'autoresponder.update')
      }
      const row = await writer.run('autoresponders.update', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        id: params.autoresponder_id,
        changes: body.autoresponder
      })
      return ok(await present(caller, row))
    }
  )

  app.delete(
    '/mailing_lists/:mailing_list_id/autoresponders/:autoresponder_id',
    {
      config: { access: 'autoresponder.delete' },
      schema: {
        tags,
        summary: 'Delete an autoresponder',
        params: AutoresponderParams,
        response: { 200: envelope(Type.Null()) }
      }
    },
    async ({ caller, params }) => {
      await writer.run('autoresponders.delete', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        id: params.autoresponder_id
      })
      return ok(null)
    }
  )

  function localList({ organizationId }: Caller, id: number): Promise<MailingListRow> {
    return localListById(reader, organizationId, id, 'autoresponders')
  }

  async function present(caller: Caller, row: AutoresponderRow): Promise<Autoresponder> {
    const [shown] = await presentAutoresponders(reader, [row], caller.timeZone)
    if (!shown) throw new Error(`autoresponder ${row.id} was not presented`)
    return shown
  }
}
