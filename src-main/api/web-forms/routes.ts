import { ok } from '../../http/envelope.ts'
import { localListById } from '../mailing-lists/queries.ts'
import {
  confirmationFaults,
  pendingSubscriptions,
  presentPending,
  presentWebForm,
  webFormById,
  webFormsOf
} from './queries.ts'
import { webFormEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

const maxPending = 500

/** Subscription forms of a list, and who has yet to confirm. */
export const webFormRoutes = serveEndpoints(webFormEndpoints, ({ reader, writer }) => ({
  'GET /mailing_lists/:mailing_list_id/web_forms': async ({ caller, params }) => {
    const list = await localListById(reader, caller.organizationId, params.mailing_list_id, 'web forms')
    const faults = await confirmationFaults(reader, list.id)
    const rows = await webFormsOf(reader, list.id)
    return ok(rows.map((row) => presentWebForm(row, caller.timeZone, faults.get(row.id) ?? null)))
  },

  'GET /mailing_lists/:mailing_list_id/web_forms/:id': async ({ caller, params }) => {
    const list = await localListById(reader, caller.organizationId, params.mailing_list_id, 'web forms')
    const row = await webFormById(reader, list.id, params.id)
    const faults = await confirmationFaults(reader, list.id)
    return ok(presentWebForm(row, caller.timeZone, faults.get(row.id) ?? null))
  },

  'POST /mailing_lists/:mailing_list_id/web_forms': async ({ caller, params, body }) => {
    const row = await writer.run('webForms.create', {
      organizationId: caller.organizationId,
      mailingListId: params.mailing_list_id,
      form: body.web_form
    })
    return ok(presentWebForm(row, caller.timeZone, null))
  },

  'PUT /mailing_lists/:mailing_list_id/web_forms/:id': async ({ caller, params, body }) => {
    const row = await writer.run('webForms.update', {
      organizationId: caller.organizationId,
      mailingListId: params.mailing_list_id,
      id: params.id,
      changes: body.web_form
    })
    const faults = await confirmationFaults(reader, params.mailing_list_id)
    return ok(presentWebForm(row, caller.timeZone, faults.get(row.id) ?? null))
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
}))
