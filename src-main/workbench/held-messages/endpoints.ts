import { Type } from 'typebox'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { MailingListParams } from '../../http/schema.ts'

/** Messages of autoresponders that were queued by a version which could not send them. */
export const heldMessageEndpoints = unlistedEndpoints({
  'GET /mailing_lists/:mailing_list_id/held_messages': {
    access: 'signed_in',
    params: MailingListParams,
    answer: envelope(Type.Object({ messages: Type.Integer() }))
  },

  'POST /mailing_lists/:mailing_list_id/held_messages/send': {
    access: 'autoresponder.update_state',
    params: MailingListParams,
    answer: envelope(Type.Null())
  },

  'DELETE /mailing_lists/:mailing_list_id/held_messages': {
    access: 'autoresponder.update_state',
    params: MailingListParams,
    answer: envelope(Type.Null())
  }
})
