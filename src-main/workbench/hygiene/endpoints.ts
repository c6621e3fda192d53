import { type Static, Type } from 'typebox'
import { StatusCounts } from '../../api/subscriber-counts/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { MailingListParams } from '../../http/schema.ts'

const ListDomains = Type.Object({
  /** The number of different domains on the list. */
  total: Type.Integer(),
  /** The domains with the most subscribers, in that order. */
  largest: Type.Array(
    Type.Object({ domain: Type.String(), subscribers: Type.Integer(), counts: StatusCounts })
  ),
  /** Domains that look misspelled, with the probably intended one. */
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
