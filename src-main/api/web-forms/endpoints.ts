import { Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { IdInListParams, MailingListParams, withDefault, wrapped } from '../../http/schema.ts'
import { PendingSubscription, WebForm, WebFormChanges, WebFormInput } from './schema.ts'
import { endpoints } from '../../http/endpoint.ts'

export const webFormEndpoints = endpoints('Web forms', {
  'GET /mailing_lists/:mailing_list_id/web_forms': {
    access: 'signed_in',
    summary: 'List the subscription forms of a list',
    params: MailingListParams,
    answer: envelope(Type.Array(WebForm))
  },

  'GET /mailing_lists/:mailing_list_id/web_forms/:id': {
    access: 'signed_in',
    summary: 'Read a subscription form',
    params: IdInListParams,
    answer: envelope(WebForm)
  },

  'POST /mailing_lists/:mailing_list_id/web_forms': {
    access: 'web_form.create',
    summary: 'Create a subscription form',
    params: MailingListParams,
    body: wrapped('web_form', WebFormInput),
    answer: envelope(WebForm)
  },

  'PUT /mailing_lists/:mailing_list_id/web_forms/:id': {
    access: 'web_form.update',
    summary: 'Change a subscription form',
    params: IdInListParams,
    body: wrapped('web_form', WebFormChanges),
    answer: envelope(WebForm)
  },

  'DELETE /mailing_lists/:mailing_list_id/web_forms/:id': {
    access: 'web_form.delete',
    summary: 'Delete a subscription form, and who has yet to confirm through it',
    params: IdInListParams,
    answer: envelope(Type.Null())
  },

  'GET /mailing_lists/:mailing_list_id/pending_subscriptions': {
    access: 'subscriber.read',
    summary: 'List who has yet to confirm, the first 500 after an id',
    params: MailingListParams,
    query: Type.Object({ after_id: withDefault(Type.Integer({ minimum: 0 }), 0) }),
    answer: envelope(Type.Array(PendingSubscription))
  },

  'POST /mailing_lists/:mailing_list_id/pending_subscriptions/:id/confirm': {
    access: 'subscriber.create',
    summary: 'Add a subscriber who confirmed',
    params: IdInListParams,
    answer: envelope(Type.Object({ subscriber_id: Type.Integer() }))
  },

  'POST /mailing_lists/:mailing_list_id/pending_subscriptions/:id/resend': {
    access: 'subscriber.create',
    summary: 'Send the confirmation message once more',
    params: IdInListParams,
    answer: envelope(PendingSubscription)
  },

  'DELETE /mailing_lists/:mailing_list_id/pending_subscriptions/:id': {
    access: 'subscriber.delete',
    summary: 'Forget somebody who did not confirm',
    params: IdInListParams,
    answer: envelope(Type.Null())
  }
})
