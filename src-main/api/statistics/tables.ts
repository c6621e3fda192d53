import type { Generated } from 'kysely'
import type { Fixed, Flag, Json, Time } from '../../database/schema.ts'
import type { CounterName } from './schema.ts'

/** The statistics of a campaign, an autoresponder, or the confirmation messages of a form. */
export interface StatsTable {
  id: Generated<number>
  campaign_id: number | null
  autoresponder_id: number | null
  web_form_id: number | null
  /** 1 if stat_recipients has its recipients. */
  keeps_recipients: Flag
}

/** One content of a campaign, or the content of an autoresponder. */
export interface StatSlicesTable {
  id: Generated<number>
  stat_id: number
  content_id: number | null
}

export interface StatCountersTable extends Record<CounterName, Generated<number>> {
  stat_slice_id: number
  /** The start of the hour in the organization's zone. */
  hour: Time
}

/** A link as written in a content. */
export interface StatLinksTable {
  id: Generated<number>
  stat_slice_id: number
  url: string
  /**
   * Clicks in all, as a recipient's first click in the content, and as a recipient's first click of this
   * link.
   */
  clicks_total: Generated<number>
  clicks_unique: Generated<number>
  clicks_unique_by_link: Generated<number>
}

/** An event of a recipient with a message. */
export interface StatEventsTable {
  id: Generated<number>
  stat_slice_id: number
  type: StatEventType
  subscriber_id: number
  email: string
  /** 1 for the first event of its type by this recipient. */
  is_unique: Flag
  link_id: number | null
  /** 1 for the first click of this recipient on this link. */
  is_unique_of_link: Flag | null
  bounce_code: string | null
  ip: string | null
  occurred_at: Time
  /** 1 = a scanner or a privacy proxy opened or clicked, no person. */
  is_machine: Generated<Flag>
}

/** Openings and clicks by programs, of one content; its other counters include them. */
export interface StatMachineCountersTable {
  stat_slice_id: number
  opens_total: Generated<number>
  /** Recipients for whom only programs opened the message. */
  opens_only: Generated<number>
  clicks_total: Generated<number>
  clicks_only: Generated<number>
}

/** Visits of links that count nothing, for about an hour. */
export interface LinkVisitsTable {
  id: Generated<number>
  stat_slice_id: number
  subscriber_id: number
  link: string
  occurred_at: Time
}

/** The recipients of a content; deleted subscribers stay. */
export interface StatRecipientsTable {
  stat_slice_id: Fixed<number>
  subscriber_id: Fixed<number>
  sent_at: Fixed<Time>
}

export type StatEventType = 'open' | 'click' | 'bounce' | 'scomp' | 'unsub'

/** The counts of a content when a winner was chosen. */
export interface StatSnapshotsTable {
  id: Generated<number>
  stat_slice_id: number
  /** 32 hex digits that snapshots of the same moment share. */
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
    stat_machine_counters: StatMachineCountersTable
    link_visits: LinkVisitsTable
    stat_recipients: StatRecipientsTable
    stat_snapshots: StatSnapshotsTable
  }
}
