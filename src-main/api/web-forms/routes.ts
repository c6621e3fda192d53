import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, ok } from '../../http/envelope.ts'
import { localListById } from '../mailing-lists/queries.ts'
import { IdParams, MailingListParams, wrapped } from '../../http/schema.ts'
import { pendingSubscriptions, presentPending, presentWebForm, webFormById, webFormsOf } from './queries.ts'
import { PendingSubscription, WebForm, WebFormChanges, WebFormInput } from './schema.ts'

const tags = ['Web forms']
const FormParams = Type.Object({ ...MailingListParams.properties, ...IdParams.properties })

/** Those who have yet to confirm that one answer holds. */
const maxPending = 500

/** Subscription forms of a list, and who has yet to confirm. */
export const webFormRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer } = app.context

  app.get(
    '/mailing_lists/:mailing_list_id/web_forms',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'List the subscription forms of a list',
        params: MailingListParams,
        response: { 200: envelope(Type.Array(WebForm)) }
      }
    },
    async ({ caller, params }) => {
      const list = await localListById(reader, caller.organizationId, params.mailing_list_id, 'web forms')
      return ok((await webFormsOf(reader, list.id)).map((row) => presentWebForm(row, caller.timeZone)))
    }
  )

  app.get(
    '/mailing_lists/:mailing_list_id/web_forms/:id',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'Read a subscription form',
        params: FormParams,
        response: { 200: envelope(WebForm) }
      }
    },
    async ({ caller, params }) => {
      const list = await localListById(reader, caller.organizationId, params.mailing_list_id, 'web forms')
      return ok(presentWebForm(await webFormById(reader, list.id, params.id), caller.timeZone))
    }
  )

  app.post(
    '/mailing_lists/:mailing_list_id/web_forms',
    {
      config: { access: 'web_form.create' },
      schema: {
        tags,
        summary: 'Create a subscription form',
        params: MailingListParams,
        body: wrapped('web_form', WebFormInput),
        response: { 200: envelope(WebForm) }
      }
    },
    async ({ caller, params, body }) => {
      const row = await writer.run('webForms.create', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        form: body.web_form
      })
      return ok(presentWebForm(row, caller.timeZone))
    }
  )

  app.put(
    '/mailing_lists/:mailing_list_id/web_forms/:id',
    {
      config: { access: 'web_form.update' },
      schema: {
        tags,
        summary: 'Change a subscription form',
        params: FormParams,
        body: wrapped('web_form', WebFormChanges),
        response: { 200: envelope(WebForm) }
      }
    },
    async ({ caller, params, body }) => {
      const row = await writer.run('webForms.update', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        id: params.id,
        changes: body.web_form
      })
      return ok(presentWebForm(row, caller.timeZone))
    }
  )

  app.delete(
    '/mailing_lists/:mailing_list_id/web_forms/:id',
    {
      config: { access: 'web_form.delete' },
      schema: {
        tags,
        summary: 'Delete a subscription form, and who has yet to confirm through it',
        params: FormParams,
        response: { 200: envelope(Type.Null()) }
      }
    },
    async ({ caller, params }) => {
      await writer.run('webForms.delete', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        id: params.id
      })
      return ok(null)
    }
  )

  app.get(
    '/mailing_lists/:mailing_list_id/pending_subscriptions',
    {
      config: { access: 'subscriber.read' },
      schema: {
        tags,
        summary: 'List who has yet to confirm, the first 500 after an id',
        params: MailingListParams,
        querystring: Type.Object({ after_id: Type.Integer({ minimum: 0, default: 0 }) }),
        response: { 200: envelope(Type.Array(PendingSubscription)) }
      }
    },
    async ({ caller, params, query }) => {
      const list = await localListById(reader, caller.organizationId, params.mailing_list_id, 'subscribers')
      const rows = await pendingSubscriptions(reader, list.id, query.after_id, maxPending)
      return ok(rows.map((row) => presentPending(row, caller.timeZone)))
    }
  )

  app.post(
    '/mailing_lists/:mailing_list_id/pending_subscriptions/:id/confirm',
    {
      config: { access: 'subscriber.create' },
      schema: {
        tags,
        summary: 'Add a subscriber who confirmed',
        params: FormParams,
        response: { 200: envelope(Type.Object({ subscriber_id: Type.Integer() })) }
      }
    },
    async ({ caller, params }) => {
      const id = await writer.run('webForms.confirmSubscription', {
        organizationId: caller.organizationId,
        timeZone: caller.timeZone,
        mailingListId: params.mailing_list_id,
        id: params.id
      })
      return ok({ subscriber_id: id })
    }
  )

  app.delete(
    '/mailing_lists/:mailing_list_id/pending_subscriptions/:id',
    {
      config: { access: 'subscriber.delete' },
      schema: {
        tags,
        summary: 'Forget somebody who did not confirm',
        params: FormParams,
        response: { 200: envelope(Type.Null()) }
      }
    },
    async ({ caller, params }) => {
      await writer.run('webForms.discardSubscription', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        id: params.id
      })
      return ok(null)
    }
  )
}
