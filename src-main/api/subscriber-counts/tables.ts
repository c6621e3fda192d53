import type { SubscriberStatus } from '../subscribers/schema.ts'
import type { StatusCounts } from './schema.ts'

export interface MailingListCountsTable {
  mailing_list_id: number
  status: SubscriberStatus
  subscribers: number
}

/** The counts of a list before the first change of a day. */
export interface SubscriberDaysTable extends StatusCounts {
  mailing_list_id: number
  /** YYYY-MM-DD in the organization's zone. */
  day: string
}

/**
 * Number of subscribers of a list with an id in [block * 1024, (block + 1) * 1024): finds a position without
 * OFFSET.
 */
export interface SubscriberBlocksTable {
  mailing_list_id: number
  block: number
  subscribers: number
}

/** The same for groups of blocksPerGroup blocks. */
export interface SubscriberBlockGroupsTable {
  mailing_list_id: number
  block_group: number
  subscribers: number
}

declare module '../../database/schema.ts' {
  interface Schema {
    mailing_list_counts: MailingListCountsTable
    subscriber_days: SubscriberDaysTable
    subscriber_blocks: SubscriberBlocksTable
    subscriber_block_groups: SubscriberBlockGroupsTable
  }
}
