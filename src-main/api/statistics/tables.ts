import type { Generated } from 'kysely'
import type { Fixed, Flag, Json, Time } from '../../database/schema.ts'
import type { CounterName } from './schema.ts'

/** What is counted together: a campaign or an autoresponder. */
export interface StatsTable {
  id: Generated<number>
  campaign_id: number | null
  autoresponder_id: number | null
  /** Whether stat_recipients tells whom it was sent to. */
  keeps_recipients: Flag
}

/** One content of a campaign, or the content of an autoresponder. */
export interface StatSlicesTable {
  id: Generated<number>
  stat_id: number
  content_id: number | null
}

/** Counters of a slice within an hour. */
export interface StatCountersTable extends Record<CounterName, Generated<number>> {
  stat_slice_id: number
  /** The beginning of the hour, by the clock of the organization. */
  hour: Time
}

/** A link of a content, as it stands there. */
export interface StatLinksTable {
  id: Generated<number>
  stat_slice_id: number
  url: string
  /** How often it was clicked: in all, as the first link of the content by a recipient, and for the first time by one. */
  clicks_total: Generated<number>
  clicks_unique: Generated<number>
  clicks_unique_by_link: Generated<number>
}

/** What a recipient did with a message. */
export interface StatEventsTable {
  id: Generated<number>
  stat_slice_id: number
  type: StatEventType
  subscriber_id: number
  email: string
  /** Whether it was the first of its type by this recipient. */
  is_unique: Flag
  link_id: number | null
  /** Whether it was the first click of this recipient on this link. */
  is_unique_of_link: Flag | null
  bounce_code: string | null
  ip: string | null
  occurred_at: Time
}

/** Whom a content was sent to; a subscriber who is gone may still be here. */
export interface StatRecipientsTable {
  stat_slice_id: Fixed<number>
  subscriber_id: Fixed<number>
  sent_at: Fixed<Time>
}

export type StatEventType = 'open' | 'click' | 'bounce' | 'scomp' | 'unsub'

/** The counts of a content when a winner was to be chosen. */
export interface StatSnapshotsTable {
  id: Generated<number>
  stat_slice_id: number
  /** 32 hex digits that the snapshots of one moment share. */
  snapshot_group: string
  /** {@link StatisticCounts} */
  counts: Json
  taken_at: Time
}

declare module '../../database/schema.ts' {
  interface Schema {
    stats: StatsTable
    stat_slices: StatSlicesTable
    stat_counters: StatCountersTable
    stat_links: StatLinksTable
    stat_events: StatEventsTable
    stat_recipients: StatRecipientsTable
    stat_snapshots: StatSnapshotsTable
  }
}
