import { Type } from 'typebox'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { MailingListParams } from '../../http/schema.ts'
import { TableView, TableViewInput } from './schema.ts'

// Views are for everybody who sees the list's subscribers, as segments are, and change nothing of them.
const access = 'subscriber.read'
const answer = envelope(Type.Array(TableView))

export const tableViewEndpoints = unlistedEndpoints({
  'GET /mailing_lists/:mailing_list_id/table_views': { access, params: MailingListParams, answer },

  'PUT /mailing_lists/:mailing_list_id/table_views': {
    access,
    params: MailingListParams,
    body: TableViewInput,
    answer
  },

  'DELETE /mailing_lists/:mailing_list_id/table_views/:id': {
    access,
    params: Type.Object({ ...MailingListParams.properties, id: Type.Integer() }),
    answer
  }
})
