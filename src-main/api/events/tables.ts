import type { Generated } from 'kysely'
import type { Fixed, Json, Time } from '../../database/schema.ts'
import type { PresentedRow } from '../subscribers/queries.ts'
import type { EventType } from './schema.ts'

/** What happened to subscribers, in order. */
export interface EventsTable {
  id: Generated<number>
  organization_id: Fixed<number>
  type: Fixed<EventType>
  mailing_list_id: Fixed<number>
  subscriber_id: Fixed<number>
  recorded_at: Fixed<Time>
  /** {@link RowChange} for a subscriber that was created or updated, otherwise {@link Reaction}. */
  body: Fixed<Json>
}

/** A subscriber before and after a change, as it was stored. The custom fields are JSON text. */
export interface RowChange {
  before?: PresentedRow
  after: PresentedRow
}

/** What a recipient did with a message. */
export interface Reaction {
  email: string
  /** UNIX milliseconds: it may have been fetched from a gate later. */
  at: number
  campaign_id: number | null
  autoresponder_id: number | null
  /** Of a Remote List's recipient. */
  distinct_id?: number | null
  is_unique: number
  ip: string | null
  /** Of a click. */
  url: string | null
}

declare module '../../database/schema.ts' {
  interface Schema {
    events: EventsTable
  }
}
