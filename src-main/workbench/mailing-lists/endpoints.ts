import { type Static, Type } from 'typebox'
import { StatusCounts } from '../../api/subscriber-counts/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'

/** A mailing list as the window lists it: with how many subscribers it has, and without its settings. */
const ListedList = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  is_remote_list: Type.Boolean(),
  counts: StatusCounts
})
export type ListedList = Static<typeof ListedList>

export const mailingListEndpoints = unlistedEndpoints({
  // All lists, by id.
  'GET /mailing_lists': { access: 'signed_in', answer: envelope(Type.Array(ListedList)) }
})
