import type { ColumnType, Generated } from 'kysely'
import type { Time, Flag, Fixed } from '../../database/schema.ts'

export interface OrganizationsTable {
  id: Generated<number>
  name: string
  time_zone_name: string
  /** Limit over all lists; null = none. */
  subscriber_limit: number | null
  /** 1 if new subscribers must confirm (confirmation_form_id). */
  enforces_confirmed_opt_in: ColumnType<Flag, Flag | undefined, Flag>
  /** The day of the month on which the billing year begins. */
  anniversary_day: ColumnType<number, number | undefined, number>
  html_header: ColumnType<string, string | undefined, string>
  html_footer: ColumnType<string, string | undefined, string>
  text_header: ColumnType<string, string | undefined, string>
  text_footer: ColumnType<string, string | undefined, string>
  /** 1 if another system takes unsubscribes. */
  unsubscribes_elsewhere: ColumnType<Flag, Flag | undefined, Flag>
  /** Soft bounces within so many days after which a subscriber is bounced; 0 = never. */
  soft_bounces: ColumnType<number, number | undefined, number>
  soft_bounce_days: ColumnType<number, number | undefined, number>
  /** 1 if the winner of a split test is chosen by all openings and clicks; 0 = by those of people. */
  winner_counts_machines: ColumnType<Flag, Flag | undefined, Flag>
  created_at: Fixed<Time>
  updated_at: Time
}

declare module '../../database/schema.ts' {
  interface Schema {
    organizations: OrganizationsTable
  }
  interface ChangedEntities {
    organization: unknown
  }
}
