import { Type } from 'typebox'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { MailingListParams } from '../../http/schema.ts'
import { TableView, TableViewInput } from './schema.ts'

// Views are visible to all who see the list's subscribers; changing them takes the permission to change
// segments.
const answer = envelope(Type.Array(TableView))

export const tableViewEndpoints = unlistedEndpoints({
  'GET /mailing_lists/:mailing_list_id/table_views': {
    access: 'subscriber.read',
    params: MailingListParams,
    answer
  },

  'PUT /mailing_lists/:mailing_list_id/table_views': {
    access: ['segmentation_criteria.create', 'segmentation_criteria.update'],
    params: MailingListParams,
    body: TableViewInput,
    answer
  },

  'DELETE /mailing_lists/:mailing_list_id/table_views/:id': {
    access: 'segmentation_criteria.delete',
    params: Type.Object({ ...MailingListParams.properties, id: Type.Integer() }),
    answer
  }
})
