import { Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { Filled } from '../../http/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

export const urlUploadEndpoints = unlistedEndpoints({
  'POST /url_uploads': {
    access: 'subscriber.import',
    body: Type.Object({ url: Filled({ maxLength: 2000 }) }),
    answer: envelope(Type.Object({ filename: Type.String() }))
  }
})
