import type { Generated } from 'kysely'
import type { Time, Flag, Json, Fixed } from '../../database/schema.ts'

/** Forms with which people subscribe. */
export interface WebFormsTable {
  id: Generated<number>
  mailing_list_id: number
  name: string
  requires_confirmation: Flag
  created_at: Fixed<Time>
  updated_at: Time
}

/** A subscriber who has not confirmed yet. */
export interface PendingSubscriptionsTable {
  id: Generated<number>
  mailing_list_id: number
  web_form_id: number
  email: string
  email_key: string
  /** {@link SubscriberInput} */
  subscriber: Json
  created_at: Fixed<Time>
}

declare module '../../database/schema.ts' {
  interface Schema {
    web_forms: WebFormsTable
    pending_subscriptions: PendingSubscriptionsTable
  }
  interface ChangedEntities {
    web_form: unknown
    pending_subscription: unknown
  }
}
