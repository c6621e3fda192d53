import { type Static, Type } from 'typebox'
import { CampaignSummary } from '../../api/campaigns/schema.ts'
import { envelope, pagedEnvelope } from '../../http/envelope.ts'
import { PageQuery } from '../../http/pagination.ts'
import {
  Fault,
  Filled,
  IdParams,
  MailingListParams,
  Nullable,
  Timestamp,
  withDefault
} from '../../http/schema.ts'
import { unlistedEndpoints } from '../../http/endpoint.ts'

const {
  content_html: _html,
  content_text: _text,
  dispatch: _dispatch,
  ...summary
} = CampaignSummary.properties

/** A listed campaign, without its contents. */
const ListedCampaign = Type.Object({
  ...summary,
  /** null while they are counted, and before the start. */
  recipients: Nullable(Type.Integer()),
  /** True if its messages go by SMTP; false before the start as well. */
  by_smtp: Type.Boolean()
})
export type ListedCampaign = Static<typeof ListedCampaign>

const Named = Type.Object({ id: Type.Integer(), name: Type.String() })

const ListedTemplate = Type.Object({ ...Named.properties, archived: Type.Boolean() })
export type ListedTemplate = Static<typeof ListedTemplate>

const CampaignProgress = Type.Object({
  phase: Nullable(Type.Enum(['everybody', 'split_testing', 'decision_delay', 'winner'])),
  /** null while they are counted. */
  recipients: Nullable(Type.Integer()),
  /** Why it failed, or which fault paused it. */
  error_message: Nullable(Type.String()),
  fault: Nullable(Fault),
  /** When the winner of the split test will be chosen. */
  decides_at: Nullable(Timestamp),
  /** True if the recipients are known. */
  keeps_recipients: Type.Boolean(),
  /** Bytes of the file that its messages are in; null without one. */
  outbox_bytes: Nullable(Type.Integer()),
  /** What people did, without scanners and privacy proxies; null before the start. */
  people: Nullable(
    Type.Object({
      opens_total: Type.Integer(),
      opens_unique: Type.Integer(),
      clicks_total: Type.Integer(),
      clicks_unique: Type.Integer()
    })
  ),
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
    query: Type.Object({
      mailing_list_id: Type.Optional(Type.Integer()),
      archived: withDefault(Type.Boolean(), false),
      // Campaigns that are being sent or have a time to begin at.
      is_pending: withDefault(Type.Boolean(), false),
      ...PageQuery(100)
    }),
    answer: pagedEnvelope(ListedCampaign)
  },

  'GET /mailing_lists/:mailing_list_id/campaign_names': {
    access: 'signed_in',
    params: MailingListParams,
    answer: envelope(Type.Array(Named))
  },

  'GET /mailing_lists/:mailing_list_id/templates': {
    access: 'signed_in',
    params: MailingListParams,
    answer: envelope(Type.Array(ListedTemplate))
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

  // All previews of the organization. They also need campaign.send, campaign.update or autoresponder.update.
  'GET /previews': { access: 'subscriber.read' }
})
