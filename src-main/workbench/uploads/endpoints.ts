import { Type } from 'typebox'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'

export const uploadEndpoints = unlistedEndpoints({
  /** Its body is the file. */
  'PUT /uploads/:filename': {
    access: 'subscriber.import',
    params: Type.Object({ filename: Type.String({ minLength: 1, maxLength: 1000 }) }),
    bodyLimit: Number.MAX_SAFE_INTEGER,
    answer: envelope(Type.Object({ filename: Type.String() }))
  }
})
