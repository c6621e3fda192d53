import { Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { withDefault } from '../../http/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

const NewWindow = Type.Object({
  /** The page that it shows first, such as /lists/7. */
  page: Type.String({ pattern: '^/(?!/)', maxLength: 2000 }),
  /**
   * True = the window stays signed in when the key is revoked: the command line's keys end with its process.
   */
  outlives_key: withDefault(Type.Boolean(), false)
})

/** The address that signs a window in once, as the key's user. */
const OpenedWindow = Type.Object({ address: Type.String() })

export const windowEndpoints = unlistedEndpoints({
  'POST /windows': { access: 'system_admin', body: NewWindow, answer: envelope(OpenedWindow) }
})
