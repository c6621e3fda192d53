import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { formatTime } from '../../base/times.ts'
import { envelope, ok } from '../../http/envelope.ts'
import { MailingListParams, wrapped } from '../../http/schema.ts'
import { mailingListById, mailingListsOf, presentMailingList, presentMailingLists } from './queries.ts'
import { DeleteConfirmation, MailingList, MailingListChanges, MailingListInput } from './schema.ts'

const tags = ['Mailing lists']

export const mailingListRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer, rekeyer } = app.context

  app.get(
    '/mailing_lists',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'List the mailing lists',
        response: { 200: envelope(Type.Array(MailingList)) }
      }
    },
    async ({ caller }) => {
      const rows = await mailingListsOf(reader, caller.organizationId)
      return ok(await presentMailingLists(reader, caller.organizationId, rows))
    }
  )

  app.post(
    '/mailing_lists',
    {
      config: { access: 'mailing_list.create' },
      schema: {
        tags,
        summary: 'Create a mailing list',
        body: wrapped('mailing_list', MailingListInput),
        response: { 200: envelope(MailingList) }
      }
    },
    async ({ caller, body }) => {
      const { organizationId } = caller
      const id = await writer.run('mailingLists.create', { organizationId, list: body.mailing_list })
      return ok(await answer(organizationId, id))
    }
  )

  app.get(
    '/mailing_lists/:mailing_list_id',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'Read a mailing list',
        params: MailingListParams,
        response: { 200: envelope(MailingList) }
      }
    },
    async ({ caller, params }) => ok(await answer(caller.organizationId, params.mailing_list_id))
  )

  app.put(
    '/mailing_lists/:mailing_list_id',
    {
      config: { access: 'mailing_list.update' },
      schema: {
        tags,
        summary: 'Change a mailing list',
        params: MailingListParams,
        body: wrapped('mailing_list', MailingListChanges),
        response: { 200: envelope(MailingList) }
      }
    },
    async ({ caller, params, body }) => {
      const { organizationId } = caller
      const id = params.mailing_list_id
      const { primary_key_custom_field_id: fieldId, ...changes } = body.mailing_list
      if (fieldId !== undefined) await rekeyer.rekey({ organizationId, id, changes, fieldId })
      await writer.run('mailingLists.update', { organizationId, id, changes })
      return ok(await answer(organizationId, id))
    }
  )

  app.get(
    '/mailing_lists/:mailing_list_id/delete_confirmation_code',
    {
      config: { access: 'mailing_list.delete' },
      schema: {
        tags,
        summary: 'Ask for the code that confirms a deletion',
        params: MailingListParams,
        response: { 200: envelope(DeleteConfirmation) }
      }
    },
    async ({ caller, params }) => {
      const { code, expiresAt } = await writer.run('mailingLists.issueDeleteConfirmation', {
        organizationId: caller.organizationId,
        id: params.mailing_list_id
      })
      return ok({
        delete_confirmation_code: code,
        delete_confirmation_expires_at: formatTime(expiresAt, caller.timeZone)
      })
    }
  )

  app.delete(
    '/mailing_lists/:mailing_list_id/confirmed/:delete_confirmation_code',
    {
      config: { access: 'mailing_list.delete' },
      schema: {
        tags,
        summary: 'Delete a mailing list',
        params: Type.Object({
          ...MailingListParams.properties,
          delete_confirmation_code: Type.String()
        }),
        response: { 200: envelope(Type.Null()) }
      }
    },
    async ({ caller, params }) => {
      await writer.run('mailingLists.delete', {
        organizationId: caller.organizationId,
        id: params.mailing_list_id,
        code: params.delete_confirmation_code
      })
      return ok(null)
    }
  )

  async function answer(organizationId: number, id: number): Promise<MailingList> {
    return presentMailingList(reader, await mailingListById(reader, organizationId, id))
  }
}
