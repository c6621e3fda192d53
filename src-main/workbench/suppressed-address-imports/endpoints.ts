import { Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { IdParams } from '../../http/schema.ts'
import { SuppressedAddressImport } from '../../api/suppressed-address-imports/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

const acting = {
  access: 'organization_admin',
  params: IdParams,
  answer: envelope(SuppressedAddressImport)
} as const

export const suppressedAddressImportEndpoints = unlistedEndpoints({
  'GET /suppression_lists/:id/suppressed_address_imports': {
    access: 'subscriber.read',
    params: IdParams,
    answer: envelope(Type.Array(SuppressedAddressImport))
  },

  'POST /suppression_lists/:id/suppressed_address_imports': {
    access: 'organization_admin',
    params: IdParams,
    body: Type.Object({ filename: Type.String({ minLength: 1 }) }),
    answer: envelope(SuppressedAddressImport)
  },

  'POST /suppressed_address_imports/:id/pause': acting,
  'POST /suppressed_address_imports/:id/unpause': acting,
  'POST /suppressed_address_imports/:id/cancel': acting
})
