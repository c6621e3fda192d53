import { Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { withDefault } from '../../http/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

const NewWindow = Type.Object({
  /** The page that it shows first, such as /lists/7. */
  page: Type.String({ pattern: '^/(?!/)', maxLength: 2000 }),
  /** Whether the window goes on when the key is revoked: for the command line, whose keys end with its process. */
  outlives_key: withDefault(Type.Boolean(), false)
})

/** Its address signs a window in, once, as the user whose key asks for it. */
const OpenedWindow = Type.Object({ address: Type.String() })

export const windowEndpoints = unlistedEndpoints({
  'POST /windows': { access: 'system_admin', body: NewWindow, answer: envelope(OpenedWindow) }
})
