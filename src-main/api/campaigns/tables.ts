import type { StoredRefusal } from '../../base/stored-refusal.ts'
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
  /** The query for a Remote List's recipients. */
  remote_sql: string | null
  /** 1 = shown only among archived ones. */
  archived: Generated<Flag>
  /** The client's editor; stored without effect. */
  html_editor: Generated<string>
  created_at: Fixed<Time>
  updated_at: Time
  /** A deleted campaign that was sent stays, for the links of its messages. */
  deleted_at: ColumnType<Time | null, undefined, Time>
  /** 1 if a deleted campaign can no longer be restored: its recipient data is being deleted. */
  expired: Generated<Flag>
  /** When the recipient data of a deleted campaign was deleted. */
  purged_at: ColumnType<Time | null, undefined, Time>
}

/** A version of a campaign's message; several make a split test. */
export interface CampaignContentsTable {
  id: Generated<number>
  campaign_id: number
  name: string
  subject: string
  format: ContentFormat
  html: string
  text: string
}

/** The delivery settings of a campaign, and its progress. */
export interface DispatchesTable {
  campaign_id: number
  state: CampaignState
  /** Why it failed, or which fault paused it. */
  error_message: StoredRefusal | null
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
  /** 1 if it was to start at once, even if the clock is set back later. */
  begins_at_once: ColumnType<Flag, Flag | undefined, Flag>
  started_at: Time | null
  finished_at: Time | null
  /** When the state of the delivery last changed; null before the first change. */
  updated_at: ColumnType<Time | null, Time | null | undefined, Time>
}

export interface DispatchSeedListsTable {
  campaign_id: number
  seed_list_id: number
}

/** The progress of a started campaign's delivery. */
export interface DeliveriesTable {
  campaign_id: number
  phase: DeliveryPhase
  /** The newest subscriber at the start: later ones are not recipients. */
  last_id: Fixed<number>
  /** The last processed subscriber of the phase. */
  after_id: number
  /** The checkpoint of the transport, such as the length of the outbox in bytes. */
  position: number
  /** null = not counted yet. */
  recipients: number | null
  /** When the winner of a split test will be chosen. */
  decides_at: Time | null
  winning_content_id: number | null
  /** {@link Shares} of a split test; null until drawn. */
  shares: ColumnType<Json | null, undefined, Json>
  /** Where the messages go; it is chosen when sending begins. */
  transport: ColumnType<'outbox' | 'smtp', 'outbox' | 'smtp' | undefined, never>
  /** When sending goes on; null = at once. */
  waits_until: ColumnType<Time | null, undefined, Time | null>
  waits_for: ColumnType<DeliveryWait | null, undefined, DeliveryWait | null>
  /** How often in a row no server could be used. */
  failures: ColumnType<number, undefined, number>
  /** Failed attempts in a row to read the recipients of a Remote List; {@link readingGivenUp} = the campaign is paused because of them. */
  reading_failures: ColumnType<number, undefined, number>
  /** 1 once all links of the contents are in stat_links. */
  has_links: ColumnType<Flag, Flag | undefined, Flag>
}

/** The reason why a campaign waits: messages to retry, a server, the limit of a server, its speed, its gate, or the database of its recipients. */
export type DeliveryWait = 'retry' | 'server' | 'quota' | 'speed' | 'gate' | 'database'

/**
 * Either all recipients get a message, or some get one in a split test and, after a delay, the others get the
 * winner.
 */
export type DeliveryPhase = 'everybody' | 'split_testing' | 'decision_delay' | 'winner'

/** What happened while a campaign was sent. */
export interface CampaignLogTable {
  id: Generated<number>
  campaign_id: number
  occurred_at: Time
  entry: StoredRefusal
}

declare module '../../database/schema.ts' {
  interface Schema {
    campaigns: CampaignsTable
    campaign_contents: CampaignContentsTable
    dispatches: DispatchesTable
    dispatch_seed_lists: DispatchSeedListsTable
    deliveries: DeliveriesTable
    campaign_log: CampaignLogTable
  }
  interface ChangedEntities {
    campaign: unknown
    template: unknown
  }
}
