import { Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { MailingListParams, wrapped } from '../../http/schema.ts'
import { DeleteConfirmation, MailingList, MailingListChanges, MailingListInput } from './schema.ts'
import { endpoints } from '../../http/endpoint.ts'

export const mailingListEndpoints = endpoints('Mailing lists', {
  'GET /mailing_lists': {
    access: 'signed_in',
    summary: 'List the mailing lists',
    answer: envelope(Type.Array(MailingList))
  },

  'POST /mailing_lists': {
    joinsFaults: true,
    access: 'mailing_list.create',
    summary: 'Create a mailing list',
    body: wrapped('mailing_list', MailingListInput),
    answer: envelope(MailingList)
  },

  'GET /mailing_lists/:mailing_list_id': {
    access: 'signed_in',
    summary: 'Read a mailing list',
    params: MailingListParams,
    answer: envelope(MailingList)
  },

  'PUT /mailing_lists/:mailing_list_id': {
    joinsFaults: true,
    access: 'mailing_list.update',
    summary: 'Change a mailing list',
    params: MailingListParams,
    body: wrapped('mailing_list', MailingListChanges),
    answer: envelope(MailingList)
  },

  'GET /mailing_lists/:mailing_list_id/delete_confirmation_code': {
    access: 'mailing_list.delete',
    summary: 'Ask for the code that confirms a deletion',
    params: MailingListParams,
    answer: envelope(DeleteConfirmation)
  },

  'DELETE /mailing_lists/:mailing_list_id/confirmed/:delete_confirmation_code': {
    access: 'mailing_list.delete',
    summary: 'Delete a mailing list',
    params: Type.Object({
      ...MailingListParams.properties,
      delete_confirmation_code: Type.String()
    }),
    answer: envelope(Type.Null())
  }
})
