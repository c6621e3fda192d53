import type { Generated } from 'kysely'
import type { Time, Flag, Json, Fixed } from '../../database/schema.ts'
import type { StoredRefusal } from '../../base/stored-refusal.ts'
import type { AutoresponderDelayUnit, AutoresponderTrigger, ContentFormat } from './schema.ts'

export interface AutorespondersTable {
  id: Generated<number>
  mailing_list_id: number
  name: string
  /** Lower-case name, unique on the list. */
  name_key: string
  /** Null = not paused. */
  paused_at: Time | null
  trigger: AutoresponderTrigger
  delay: 'immediately' | 'with_delay'
  delay_amount: number
  delay_unit: AutoresponderDelayUnit | null
  /** Hour of the day, in the organization's time zone, for delays of days and longer. */
  delay_time: number
  trigger_include_subscribers_from_import: Flag
  trigger_run_on_api: Flag
  trigger_campaign_to_open_id: number | null
  trigger_autoresponder_to_open_id: number | null
  use_external_delivery_setting: Flag
  bounce_email_id: number | null
  from_name: string | null
  from_email: string | null
  virtual_mta_id: number | null
  url_domain_id: number | null
  track_opens: Flag
  track_links: Flag
  content_subject: string
  content_format: ContentFormat
  content_html: string
  content_text: string
  segmentation_criteria_id: number | null
  /** Time of the last queued message; null = never. */
  triggered_at: Generated<Time | null>
  created_at: Fixed<Time>
  updated_at: Time
}

/** A queued message to a subscriber. Those of a deleted autoresponder are deleted step by step. */
export interface AutoresponderReactionsTable {
  id: Generated<number>
  autoresponder_id: number
  subscriber_id: number
  due_at: Time
  /** key -> value of %%api:key%%, or {} */
  content_replacement_fields: Json
  /** 1 = it waits for a user to decide whether it is sent. */
  is_held: Generated<Flag>
  created_at: Fixed<Time>
}

/** A deleted autoresponder whose queue or journal is not empty yet. */
export interface DeletedAutorespondersTable {
  id: Fixed<number>
  /** The statistics id of its content; null = nothing was sent. */
  stat_slice_id: number | null
}

/** How far an autoresponder is with its queue. */
export interface AutoresponderDeliveriesTable {
  autoresponder_id: number
  /** The length of its outbox file in bytes up to which messages are counted. */
  position: Generated<number>
  /** When it goes on; null = at once. */
  waits_until: Time | null
  /** How often in a row no server could be used. */
  failures: Generated<number>
  /** Why it waits. */
  error_message: StoredRefusal | null
}

declare module '../../database/schema.ts' {
  interface Schema {
    autoresponders: AutorespondersTable
    deleted_autoresponders: DeletedAutorespondersTable
    autoresponder_reactions: AutoresponderReactionsTable
    autoresponder_deliveries: AutoresponderDeliveriesTable
  }
  interface ChangedEntities {
    autoresponder: unknown
  }
}
