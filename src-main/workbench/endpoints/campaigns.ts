import { type Static, Type } from 'typebox'
import { CampaignSummary } from '../../api/campaigns/schema.ts'
import { envelope } from '../../http/envelope.ts'
import { Filled, IdParams, Nullable, Timestamp } from '../../http/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

/** A campaign as the window lists it. */
const ListedCampaign = Type.Object({
  ...CampaignSummary.properties,
  /** How many it is for; null while they are counted, and before it began. */
  recipients: Nullable(Type.Integer())
})
export type ListedCampaign = Static<typeof ListedCampaign>

const CampaignProgress = Type.Object({
  phase: Nullable(Type.Enum(['everybody', 'split_testing', 'decision_delay', 'winner'])),
  /** How many it is for; null while they are counted. */
  recipients: Nullable(Type.Integer()),
  /** Why it failed, or was paused by a fault. */
  error_message: Nullable(Type.String()),
  /** When the winner of its split test is to be chosen. */
  decides_at: Nullable(Timestamp),
  /** Whether it is known whom it was sent to. */
  keeps_recipients: Type.Boolean(),
  /** Bytes of the file that its messages are in; null without one. */
  outbox_bytes: Nullable(Type.Integer()),
  hours: Type.Array(
    Type.Object({
      content_id: Type.Integer(),
      /** The beginning of the hour, in UNIX milliseconds. */
      hour: Type.Integer(),
      messages_sent: Type.Integer(),
      opens_unique: Type.Integer(),
      clicks_unique: Type.Integer(),
      bounces_total: Type.Integer(),
      unsubs_unique: Type.Integer()
    })
  )
})
export type CampaignProgress = Static<typeof CampaignProgress>

export const campaignEndpoints = unlistedEndpoints({
  'GET /campaigns': {
    access: 'signed_in',
    query: Type.Object({ mailing_list_id: Type.Optional(Type.Integer()) }),
    answer: envelope(Type.Array(ListedCampaign))
  },

  /** A campaign like it, of another name, that is not sent yet. */
  'POST /campaigns/:id/duplicate': {
    access: 'campaign.create',
    params: IdParams,
    body: Type.Object({ name: Filled({ maxLength: 255 }) }),
    answer: envelope(Type.Object({ id: Type.Integer() }))
  },

  'GET /campaigns/:id/progress': {
    access: 'campaign.read_stats',
    params: IdParams,
    answer: envelope(CampaignProgress)
  },

  // Messages hold the addresses of their recipients, and links that unsubscribe them: campaign.read_stats is needed as well.
  'GET /campaigns/:id/outbox': { access: 'subscriber.read', params: IdParams },

  // Previews of everyone in the organization: who may send or write messages may see them, too, if they may read subscribers.
  'GET /previews': { access: 'subscriber.read' }
})
