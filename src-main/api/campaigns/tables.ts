import type { ColumnType, Generated } from 'kysely'
import type { Time, Flag, Json, Fixed } from '../../database/schema.ts'
import type { CampaignState } from './schema.ts'
import type { ContentFormat } from '../autoresponders/schema.ts'

/** A campaign, or a template, which is never sent. */
export interface CampaignsTable {
  id: Generated<number>
  mailing_list_id: number
  is_template: Fixed<Flag>
  name: string
  segment_id: number | null
  /** The query of a Remote List's recipients. */
  remote_sql: string | null
  /** Put aside by a person: shown only where the archived ones are asked for. */
  archived: Generated<Flag>
  /** The editor that a client names for its HTML; Listwright stores it and does not use it. */
  html_editor: Generated<string>
  created_at: Fixed<Time>
  updated_at: Time
  /** A deleted campaign that was sent stays behind the links of its messages. */
  deleted_at: ColumnType<Time | null, undefined, Time>
  /** Whether a deleted campaign cannot be restored any more: what recipients did is being removed. */
  expired: Generated<Flag>
  /** When what recipients of a deleted campaign did was removed. */
  purged_at: ColumnType<Time | null, undefined, Time>
}

/** A version of a campaign's message; several are a split test. */
export interface CampaignContentsTable {
  id: Generated<number>
  campaign_id: number
  name: string
  subject: string
  format: ContentFormat
  html: string
  text: string
}

/** The delivery settings of a campaign, and where its delivery stands. */
export interface DispatchesTable {
  campaign_id: number
  state: CampaignState
  /** Why it failed, or was paused by a fault. */
  error_message: string | null
  paused: Flag
  /** Null = the system default route. */
  virtual_mta_id: number | null
  bounce_email_id: number | null
  url_domain_id: number | null
  /** Messages per hour; 0 = unlimited. */
  speed: number
  track_opens: Flag
  track_links: Flag
  from_name: string | null
  from_email: string | null
  reply_to: string | null
  sender_email: string | null
  autowinner_enabled: Flag
  autowinner_percentage: string | null
  autowinner_delay_amount: number | null
  autowinner_delay_unit: string | null
  autowinner_metric: string | null
  begins_at: Time | null
  /** Whether it was to begin at once, whatever the clock says later. */
  begins_at_once: ColumnType<Flag, Flag | undefined, Flag>
  started_at: Time | null
  finished_at: Time | null
  /** When where the delivery stands changed last; null before the first change. */
  updated_at: ColumnType<Time | null, Time | null | undefined, Time>
}

export interface DispatchSeedListsTable {
  campaign_id: number
  seed_list_id: number
}

/** How far the delivery of a campaign that has begun is. */
export interface DeliveriesTable {
  campaign_id: number
  phase: DeliveryPhase
  /** The newest subscriber when it began: later ones get nothing. */
  last_id: Fixed<number>
  /** The last subscriber that the phase has dealt with. */
  after_id: number
  /** Where the transport stands, such as the length of the outbox in bytes. */
  position: number
  /** Null = not counted yet. */
  recipients: number | null
  /** When the winner of a split test is to be chosen. */
  decides_at: Time | null
  winning_content_id: number | null
  /** {@link Shares} of a split test; null until they were drawn. */
  shares: ColumnType<Json | null, undefined, Json>
  /** Whether the links of the contents are all in stat_links. */
  has_links: ColumnType<Flag, Flag | undefined, Flag>
}

/** Everybody gets a message, or some get one for a split test and, after a delay, the others the winner. */
export type DeliveryPhase = 'everybody' | 'split_testing' | 'decision_delay' | 'winner'

declare module '../../database/schema.ts' {
  interface Schema {
    campaigns: CampaignsTable
    campaign_contents: CampaignContentsTable
    dispatches: DispatchesTable
    dispatch_seed_lists: DispatchSeedListsTable
    deliveries: DeliveriesTable
  }
  interface ChangedEntities {
    campaign: unknown
    template: unknown
  }
}
