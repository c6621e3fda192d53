import { type Static, Type } from 'typebox'
import { envelope } from '../../http/envelope.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { Nullable } from '../../http/schema.ts'

const AboutAnswer = Type.Object({
  version: Type.String(),
  /** True if it can check for a newer version over the network. */
  can_look: Type.Boolean(),
  /** A newer one; null = none is known. */
  update: Nullable(
    Type.Object({
      version: Type.String(),
      notes: Type.String(),
      /** True if the application can install the update itself; otherwise the user updates it the way this copy was installed. */
      can_be_installed: Type.Boolean()
    })
  )
})
export type AboutAnswer = Static<typeof AboutAnswer>

/** A library that is in the application. */
const Library = Type.Object({
  name: Type.String(),
  version: Type.String(),
  /** As in its package, usually an SPDX expression. */
  licence: Type.String(),
  text: Type.String()
})
export type Library = Static<typeof Library>

export const aboutEndpoints = unlistedEndpoints({
  'GET /about': { access: 'signed_in', answer: envelope(AboutAnswer) },
  'GET /about/libraries': { access: 'signed_in', answer: envelope(Type.Array(Library)) },
  'POST /about/look': { access: 'system_admin', answer: envelope(AboutAnswer) },
  'POST /about/update': { access: 'system_admin', answer: envelope(Type.Null()) }
})
