import type { Time, Flag, Json, Fixed } from '../../database/schema.ts'
import type { SubscriberStatus } from './schema.ts'

export interface SubscribersTable {
  id: number
  mailing_list_id: number
  email: string
  /** Lower-cased email. */
  email_key: string
  /** The field's id and value as "7:value" on lists with primary_key_custom_field_id, else null. */
  alternate_key: string | null
  status: SubscriberStatus
  confirmed: Flag | null
  email_format: string | null
  subscribe_time: Time
  subscribe_ip: string | null
  remove_time: Time | null
  remove_ip: string | null
  /** custom field id -> stored value; see api/custom-fields/rules.ts */
  custom_fields: Json
  created_at: Fixed<Time>
  updated_at: Time
}

/** The last unsubscribe by a link, for a minute in which it can be undone. */
export interface LinkUnsubscribesTable {
  subscriber_id: number
  /** Before it. */
  status: SubscriberStatus
  stat_slice_id: number
  /** The first event that it was counted by; null = it was not counted. */
  first_event_id: number | null
  /** The updated_at of the subscriber: another one tells of a change since. */
  changed_at: Time
  /** When the button was last pressed. */
  occurred_at: Time
}

/** The next free id of a table whose ids are allocated in ranges. */
export interface IdSequencesTable {
  name: string
  next_id: number
}

declare module '../../database/schema.ts' {
  interface Schema {
    subscribers: SubscribersTable
    id_sequences: IdSequencesTable
    link_unsubscribes: LinkUnsubscribesTable
  }
  interface ChangedEntities {
    subscriber: unknown
  }
}
