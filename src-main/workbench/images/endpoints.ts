import { Type } from 'typebox'
import { maxImageBytes } from '../../api/images/rules.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { Filled } from '../../http/schema.ts'

export const imageEndpoints = unlistedEndpoints({
  // Users who may write messages may add images.
  'POST /images': {
    access: [
      'campaign.create',
      'campaign.update',
      'campaign/template.create',
      'campaign/template.update',
      'autoresponder.create',
      'autoresponder.update'
    ],
    query: Type.Object({ name: Filled({ maxLength: 255 }) }),
    /** The file. */
    body: Type.Unsafe<Blob | Uint8Array>({}),
    bodyLimit: maxImageBytes,
    answer: envelope(Type.Object({ key: Type.String() }))
  }
})
