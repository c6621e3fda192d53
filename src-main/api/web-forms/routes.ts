import { ok } from '../../http/envelope.ts'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../http/caller.ts'
import { localListById, type MailingListRow } from '../mailing-lists/queries.ts'
import {
  confirmationFaults,
  pendingSubscriptions,
  presentPending,
  presentWebForm,
  webFormById,
  type WebFormRow,
  webFormsOf
} from './queries.ts'
import { webFormEndpoints } from './endpoints.ts'
import type { WebForm } from './schema.ts'
import { pageOfForm } from './sign-up-address.ts'
import { serveEndpoints } from '../../http/serve.ts'

const maxPending = 500

/** Subscription forms of a list, and who has yet to confirm. */
export const webFormRoutes = serveEndpoints(webFormEndpoints, ({ reader, writer }) => {
  const present = async (
    row: WebFormRow,
    list: MailingListRow,
    { timeZone }: Pick<Caller, 'timeZone'>,
    { listeningOrigin }: Pick<FastifyInstance, 'listeningOrigin'>
  ): Promise<WebForm> => {
    const faults = await confirmationFaults(reader, list.id)
    const page = await pageOfForm(reader, list, row, listeningOrigin)
    return presentWebForm(row, { timeZone, fault: faults.get(row.id) ?? null, page })
  }

  return {
    'GET /mailing_lists/:mailing_list_id/web_forms': async ({ caller, params, server }) => {
      const list = await localListById(reader, caller.organizationId, params.mailing_list_id, 'web forms')
      const rows = await webFormsOf(reader, list.id)
      return ok(await Promise.all(rows.map((row) => present(row, list, caller, server))))
    },

    'GET /mailing_lists/:mailing_list_id/web_forms/:id': async ({ caller, params, server }) => {
      const list = await localListById(reader, caller.organizationId, params.mailing_list_id, 'web forms')
      return ok(await present(await webFormById(reader, list.id, params.id), list, caller, server))
    },

    'POST /mailing_lists/:mailing_list_id/web_forms': async ({ caller, params, body, server }) => {
      const row = await writer.run('webForms.create', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        form: body.web_form
      })
      const list = await localListById(reader, caller.organizationId, params.mailing_list_id, 'web forms')
      return ok(await present(row, list, caller, server))
    },

    'PUT /mailing_lists/:mailing_list_id/web_forms/:id': async ({ caller, params, body, server }) => {
      const row = await writer.run('webForms.update', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        id: params.id,
        changes: body.web_form
      })
      const list = await localListById(reader, caller.organizationId, params.mailing_list_id, 'web forms')
      return ok(await present(row, list, caller, server))
    },

    'DELETE /mailing_lists/:mailing_list_id/web_forms/:id': async ({ caller, params }) => {
      await writer.run('webForms.delete', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        id: params.id
      })
      return ok(null)
    },

    'GET /mailing_lists/:mailing_list_id/pending_subscriptions': async ({ caller, params, query }) => {
      const list = await localListById(reader, caller.organizationId, params.mailing_list_id, 'subscribers')
      const rows = await pendingSubscriptions(reader, list.id, query.after_id, maxPending)
      return ok(rows.map((row) => presentPending(row, caller.timeZone)))
    },

    'POST /mailing_lists/:mailing_list_id/pending_subscriptions/:id/confirm': async ({ caller, params }) => {
      const id = await writer.run('webForms.confirmSubscription', {
        organizationId: caller.organizationId,
        timeZone: caller.timeZone,
        mailingListId: params.mailing_list_id,
        id: params.id
      })
      return ok({ subscriber_id: id })
    },

    'POST /mailing_lists/:mailing_list_id/pending_subscriptions/:id/resend': async ({ caller, params }) => {
      const { organizationId } = caller
      const named = { organizationId, mailingListId: params.mailing_list_id, id: params.id }
      return ok(presentPending(await writer.run('webForms.resendConfirmation', named), caller.timeZone))
    },

    'DELETE /mailing_lists/:mailing_list_id/pending_subscriptions/:id': async ({ caller, params }) => {
      await writer.run('webForms.discardSubscription', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        id: params.id
      })
      return ok(null)
    }
  }
})
