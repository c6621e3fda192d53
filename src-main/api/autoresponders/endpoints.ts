import { Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { MailingListParams, wrapped } from '../../http/schema.ts'
import { Autoresponder, AutoresponderChanges, AutoresponderInput, Upcoming } from './schema.ts'
import { endpoints } from '../../http/endpoint.ts'

export const AutoresponderParams = Type.Object({
  ...MailingListParams.properties,
  autoresponder_id: Type.Integer({ minimum: 1 })
})

export const autoresponderEndpoints = endpoints('Autoresponders', {
  'GET /mailing_lists/:mailing_list_id/autoresponders': {
    access: 'signed_in',
    summary: 'List the autoresponders of a list',
    params: MailingListParams,
    answer: envelope(Type.Array(Autoresponder))
  },

  'GET /mailing_lists/:mailing_list_id/autoresponders/:autoresponder_id': {
    access: 'signed_in',
    summary: 'Read an autoresponder',
    params: AutoresponderParams,
    answer: envelope(Autoresponder)
  },

  'GET /mailing_lists/:mailing_list_id/upcoming_messages': {
    access: 'subscriber.read',
    summary: 'List which autoresponder messages are due in the next 30 days (an extension)',
    params: MailingListParams,
    answer: envelope(Upcoming)
  },

  'POST /mailing_lists/:mailing_list_id/autoresponders': {
    joinsFaults: true,
    access: 'autoresponder.create',
    summary: 'Create an autoresponder',
    params: MailingListParams,
    body: wrapped('autoresponder', AutoresponderInput),
    answer: envelope(Autoresponder)
  },

  'PUT /mailing_lists/:mailing_list_id/autoresponders/:autoresponder_id': {
    joinsFaults: true,
    access: ['autoresponder.update', 'autoresponder.update_state'],
    summary: 'Change an autoresponder, or pause it and let it go on',
    params: AutoresponderParams,
    body: wrapped('autoresponder', AutoresponderChanges),
    answer: envelope(Autoresponder)
  },

  'DELETE /mailing_lists/:mailing_list_id/autoresponders/:autoresponder_id': {
    access: 'autoresponder.delete',
    summary: 'Delete an autoresponder',
    params: AutoresponderParams,
    answer: envelope(Type.Null())
  }
})
