import { type Static, Type } from 'typebox'
import { unlistedEndpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { Fault, Filled, MailingListParams, Nullable } from '../../http/schema.ts'

const Query = Type.Object({ query: Filled({ maxLength: 100_000 }) })

/** The window's own: what a query returns before anything is sent. */
const QueryResult = Type.Object({
  columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
  /** The first 100 rows; none of a check. */
  rows: Type.Array(Type.Array(Nullable(Type.String()))),
  read: Type.Integer(),
  /** True if these are all rows. */
  is_complete: Type.Boolean(),
  /** Rows that are no recipients, and why the first ones are not. */
  skipped: Type.Integer(),
  faults: Type.Array(Fault),
  milliseconds: Type.Integer()
})
export type QueryResult = Static<typeof QueryResult>

const EarlierQuery = Type.Object({ campaign_id: Type.Integer(), name: Type.String(), query: Type.String() })
export type EarlierQuery = Static<typeof EarlierQuery>

const asking = {
  access: 'campaign.create',
  params: MailingListParams,
  body: Query,
  answer: envelope(QueryResult)
} as const

export const remoteQueryEndpoints = unlistedEndpoints({
  'POST /mailing_lists/:mailing_list_id/query_previews': asking,
  'POST /mailing_lists/:mailing_list_id/query_checks': asking,
  /** Those of the campaigns of a list, newest first, each once. */
  'GET /mailing_lists/:mailing_list_id/queries': {
    access: 'campaign.create',
    params: MailingListParams,
    answer: envelope(Type.Array(EarlierQuery))
  }
})
