import { Type } from 'typebox'
import { endpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { IdParams, wrapped } from '../../http/schema.ts'
import { DkimKey, DkimKeyChanges, DkimKeyInput } from './schema.ts'

/** Extensions of the API: the signatures of messages (docs/api.md, "Sending"). */
export const dkimKeyEndpoints = endpoints('Sending', {
  'GET /dkim_keys': {
    access: 'signed_in',
    summary: 'List the DKIM keys',
    answer: envelope(Type.Array(DkimKey))
  },

  'POST /dkim_keys': {
    access: 'organization_admin',
    summary: 'Make or store the DKIM key of a sender domain',
    body: wrapped('dkim_key', DkimKeyInput),
    answer: envelope(DkimKey)
  },

  'PUT /dkim_keys/:id': {
    access: 'organization_admin',
    summary: 'Have a DKIM key sign messages, or not',
    params: IdParams,
    body: wrapped('dkim_key', DkimKeyChanges),
    answer: envelope(DkimKey)
  },

  'DELETE /dkim_keys/:id': {
    access: 'organization_admin',
    summary: 'Delete a DKIM key',
    params: IdParams,
    answer: envelope(Type.Null())
  }
})
