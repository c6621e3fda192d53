import { endpoints } from '../http/endpoint.ts'
import { envelope } from '../http/envelope.ts'
import { MailingListParams, wrapped } from '../http/schema.ts'
import { WriteBack, WriteBackChanges } from './schema.ts'

/** Extensions of the API (docs/api.md, "Remote Lists"). */
export const writeBackEndpoints = endpoints('Mailing lists', {
  'GET /mailing_lists/:mailing_list_id/write_back': {
    access: 'signed_in',
    summary: "Read how a Remote List's unsubscribes, bounces and complaints are written into its database",
    params: MailingListParams,
    answer: envelope(WriteBack)
  },

  'PUT /mailing_lists/:mailing_list_id/write_back': {
    access: 'mailing_list.update',
    summary: "Have a Remote List's unsubscribes, bounces and complaints written into its database, or not",
    params: MailingListParams,
    body: wrapped('write_back', WriteBackChanges),
    answer: envelope(WriteBack)
  }
})
