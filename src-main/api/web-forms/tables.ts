import type { Generated } from 'kysely'
import type { FormLanguage } from './schema.ts'
import type { StoredRefusal } from '../../base/stored-refusal.ts'
import type { Time, Flag, Json, Fixed } from '../../database/schema.ts'

/** Forms with which people subscribe. */
export interface WebFormsTable {
  id: Generated<number>
  mailing_list_id: number
  name: string
  requires_confirmation: Flag
  /** The language of its pages and of its own texts. */
  language: Generated<FormLanguage>
  /** The confirmation message; '' = the text of the language (confirmation-texts.ts). */
  confirmation_subject: Generated<string>
  confirmation_html: Generated<string>
  confirmation_text: Generated<string>
  /** How long the link of a confirmation message works. */
  confirmation_days: Generated<number>
  /** 1 = it has a page on which people subscribe. */
  has_page: Generated<Flag>
  /** The texts of the page; '' = those of the language. */
  page_title: Generated<string>
  page_intro: Generated<string>
  /** An array of the custom fields that it asks for. */
  custom_field_ids: Generated<Json>
  consent_text: Generated<string>
  success_text: Generated<string>
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
  /** Since when its confirmation message is to be sent; null = it was handed over, or there is none. */
  queued_at: Time | null
  /** When its last confirmation message was handed over to the outbox or a connection. */
  sent_at: Time | null
  /** 1 if the message was asked for again, which is possible once. */
  is_repeated: Generated<Flag>
  /** Until when it can be confirmed by its link; null = it has none. */
  expires_at: Time | null
}

/** How far a form is with its confirmation messages. */
export interface ConfirmationDeliveriesTable {
  web_form_id: number
  /** The length of its outbox file in bytes up to which messages are counted. */
  position: Generated<number>
  /** When it is tried again; null = at once. */
  waits_until: Time | null
  /** How often in a row no server could be used. */
  failures: Generated<number>
  /** Why nothing is sent. */
  error_message: StoredRefusal | null
}

declare module '../../database/schema.ts' {
  interface Schema {
    web_forms: WebFormsTable
    pending_subscriptions: PendingSubscriptionsTable
    confirmation_deliveries: ConfirmationDeliveriesTable
  }
  interface ChangedEntities {
    web_form: unknown
    pending_subscription: unknown
  }
}
