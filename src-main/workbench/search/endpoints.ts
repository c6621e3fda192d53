import { type Static, Type } from 'typebox'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { Filled } from '../../http/schema.ts'

const OfList = { id: Type.Integer(), mailing_list_id: Type.Integer(), mailing_list_name: Type.String() }

const Found = Type.Object({
  /** Lists whose name contains the text, by name. */
  mailing_lists: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() })),
  /** Subscribers of any list whose email begins with the text. */
  subscribers: Type.Array(Type.Object({ ...OfList, email: Type.String() })),
  /** Campaigns and imports whose name contains the text, newest first. */
  campaigns: Type.Array(Type.Object({ ...OfList, name: Type.String() })),
  imports: Type.Array(Type.Object({ ...OfList, name: Type.String() }))
})
export type Found = Static<typeof Found>

export const searchEndpoints = unlistedEndpoints({
  // The first matches of each kind, as far as the caller may see them.
  'GET /search': {
    access: 'signed_in',
    query: Type.Object({ text: Filled({ maxLength: 255 }) }),
    answer: envelope(Found)
  }
})
