import { Type } from 'typebox'
import { endpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { IdParams, Nullable, withDefault } from '../../http/schema.ts'
import { JournalCounts, JournaledMessage, journalStateNames } from './schema.ts'

/** Extensions of the API: what became of each message of a campaign (docs/api.md, "Sending"). */
export const journalEndpoints = endpoints('Sending', {
  'GET /campaigns/:id/journal': {
    access: 'campaign.read_stats',
    summary: 'Count the messages of a campaign by what became of them',
    params: IdParams,
    answer: envelope(JournalCounts)
  },

  'GET /campaigns/:id/journal/messages': {
    access: 'subscriber.read',
    summary: 'List the messages of a campaign that are in a state',
    params: IdParams,
    query: Type.Object({
      state: withDefault(Type.Enum([...journalStateNames]), 'accepted'),
      page_token: Type.Optional(Type.String()),
      per_page: withDefault(Type.Integer({ minimum: 1, maximum: 500 }), 100)
    }),
    answer: envelope(
      Type.Object({ messages: Type.Array(JournaledMessage), next_page_token: Nullable(Type.String()) })
    )
  }
})
