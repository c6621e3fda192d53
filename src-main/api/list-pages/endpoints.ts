import { endpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { MailingListParams, wrapped } from '../../http/schema.ts'
import { ListPages, ListPagesChanges } from './schema.ts'

/** Extensions of the API (docs/api.md, "Public pages"). */
export const listPagesEndpoints = endpoints('Public pages', {
  'GET /mailing_lists/:mailing_list_id/public_pages': {
    access: 'signed_in',
    summary: 'Read how the public pages of a list look',
    params: MailingListParams,
    answer: envelope(ListPages)
  },

  'PUT /mailing_lists/:mailing_list_id/public_pages': {
    access: 'mailing_list.update',
    summary: 'Change how the public pages of a list look',
    params: MailingListParams,
    body: wrapped('public_pages', ListPagesChanges),
    answer: envelope(ListPages)
  }
})
