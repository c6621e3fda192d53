import { type Static, Type } from 'typebox'
import { StatusCounts } from '../../api/subscriber-counts/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { MailingListParams } from '../../http/schema.ts'

const ListDomains = Type.Object({
  /** How many different domains the addresses of the list have. */
  total: Type.Integer(),
  /** Those with the most subscribers, these first. */
  largest: Type.Array(
    Type.Object({ domain: Type.String(), subscribers: Type.Integer(), counts: StatusCounts })
  ),
  /** Those that look like a slip of the finger, with what was probably meant. */
  misspelt: Type.Array(
    Type.Object({ domain: Type.String(), suggestion: Type.String(), subscribers: Type.Integer() })
  )
})
export type ListDomains = Static<typeof ListDomains>

export const hygieneEndpoints = unlistedEndpoints({
  'GET /mailing_lists/:mailing_list_id/domains': {
    access: 'subscriber.read',
    params: MailingListParams,
    answer: envelope(ListDomains)
  }
})
