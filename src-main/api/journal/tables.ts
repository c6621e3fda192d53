import type { Generated } from 'kysely'
import type { Fixed, Json, Time } from '../../database/schema.ts'
import type { JournalState } from './schema.ts'

/**
 * What is known of the delivery of a message by SMTP. Rows outlast their content for a while: there may be too many to delete at once. Recipients of a campaign who have not been reached by its checkpoint yet have no row;
 * messages for the outbox have none at all.
 */
export interface MessageJournalTable {
  /** The content that was sent. */
  stat_slice_id: Fixed<number>
  /** 0 = the message is for no subscriber, but for `email`. */
  subscriber_id: Fixed<number>
  /** Tells messages of one content to one recipient apart; 0 for the only one. */
  number: Fixed<number>
  state: JournalState
  /** The place in {@link journalFormats}. */
  format: Fixed<number>
  /** How often the message was handed to a server. */
  attempts: number
  /** When it got its state. */
  changed_at: Time
  /** When it is tried next; null = not again. */
  due_at: Time | null
  smtp_server_id: number | null
  /** The reply code of the last refusal, such as 451. */
  code: number | null
  /** The last words of the server, or why there are none. */
  reply: string | null
  /** The address of a recipient who is no subscriber. */
  email: Fixed<string | null>
  /** JSON of what the message was made of beside its content: content_replacement_fields. */
  details: Fixed<Json | null>
}

/** How many messages of a content are in each state. */
export interface JournalCountsTable {
  stat_slice_id: Fixed<number>
  state: Fixed<JournalState>
  messages: number
}

/** The preview messages handed to a server, with the result of each; a row belongs to a campaign or an autoresponder. */
export interface PreviewJournalTable {
  id: Generated<number>
  campaign_id: Fixed<number | null>
  autoresponder_id: Fixed<number | null>
  /** null for an autoresponder, which has one. */
  content_id: Fixed<number | null>
  email: Fixed<string>
  state: Fixed<JournalState>
  sent_at: Fixed<Time>
  /** The name that the server had then. */
  smtp_server: Fixed<string>
  /** The reply code of a refusal. */
  code: Fixed<number | null>
  /** The words of the server, or why there are none. */
  reply: Fixed<string>
}

declare module '../../database/schema.ts' {
  interface Schema {
    message_journal: MessageJournalTable
    journal_counts: JournalCountsTable
    preview_journal: PreviewJournalTable
  }
}
