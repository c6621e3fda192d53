import { Type } from 'typebox'
import { endpoints } from '../../http/endpoint.ts'
import { envelope } from '../../http/envelope.ts'
import { Filled, IdParams, Nullable, withDefault } from '../../http/schema.ts'
import { JournalCounts, JournaledMessage, journalStateNames } from './schema.ts'

const counting = { params: IdParams, answer: envelope(JournalCounts) } as const

const listing = () =>
  ({
    access: 'subscriber.read',
    params: IdParams,
    query: Type.Object({
      state: withDefault(Type.Enum([...journalStateNames]), 'accepted'),
      /** Lists the messages to this address instead, in any state. */
      email: Type.Optional(Filled({ maxLength: 320 })),
      page_token: Type.Optional(Type.String()),
      per_page: withDefault(Type.Integer({ minimum: 1, maximum: 500 }), 100)
    }),
    answer: envelope(
      Type.Object({ messages: Type.Array(JournaledMessage), next_page_token: Nullable(Type.String()) })
    )
  }) as const

const previews = {
  params: IdParams,
  answer: envelope(Type.Array(JournaledMessage))
} as const

/** Extensions of the API: what became of each message (docs/api.md, "Sending"). */
export const journalEndpoints = endpoints('Sending', {
  'GET /campaigns/:id/journal': {
    ...counting,
    access: 'campaign.read_stats',
    summary: 'Count the messages of a campaign by what became of them'
  },

  'GET /campaigns/:id/journal/messages': {
    ...listing(),
    summary: 'List the messages of a campaign that are in a state'
  },

  'GET /campaigns/:id/journal/export': {
    access: 'subscriber.export',
    summary: 'Download the messages of a campaign that are in a state as CSV; without a state, all',
    params: IdParams,
    query: Type.Object({ state: Type.Optional(Type.Enum([...journalStateNames])) })
  },

  'GET /campaigns/:id/journal/previews': {
    ...previews,
    access: ['campaign.send', 'campaign.update'],
    summary: 'List the last previews of a campaign that were handed to a server, newest first'
  },

  'GET /autoresponders/:id/journal/previews': {
    ...previews,
    access: 'autoresponder.update',
    summary: 'List the last previews of an autoresponder that were handed to a server, newest first'
  },

  'GET /autoresponders/:id/journal': {
    ...counting,
    access: 'signed_in',
    summary: 'Count the messages of an autoresponder by what became of them'
  },

  'GET /autoresponders/:id/journal/messages': {
    ...listing(),
    summary: 'List the messages of an autoresponder that are in a state'
  },

  'GET /web_forms/:id/journal': {
    ...counting,
    access: 'signed_in',
    summary: 'Count the confirmation messages of a form by what became of them'
  },

  'GET /web_forms/:id/journal/messages': {
    ...listing(),
    summary: 'List the confirmation messages of a form that are in a state'
  }
})
