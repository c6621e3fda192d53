import { Type } from 'typebox'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { MailingListParams } from '../../http/schema.ts'
import { ImportMapping, ImportMappingInput } from './schema.ts'

const access = 'subscriber.import'
const answer = envelope(Type.Array(ImportMapping))

export const importMappingEndpoints = unlistedEndpoints({
  'GET /mailing_lists/:mailing_list_id/import_mappings': { access, params: MailingListParams, answer },

  'PUT /mailing_lists/:mailing_list_id/import_mappings': {
    access,
    params: MailingListParams,
    body: ImportMappingInput,
    answer
  },

  'DELETE /mailing_lists/:mailing_list_id/import_mappings/:id': {
    access,
    params: Type.Object({ ...MailingListParams.properties, id: Type.Integer() }),
    answer
  }
})
