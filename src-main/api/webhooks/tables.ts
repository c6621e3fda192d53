import type { ColumnType, Generated } from 'kysely'
import type { CredentialPlace } from '../../base/credential-places.ts'
import type { StoredRefusal } from '../../base/stored-refusal.ts'
import type { Fixed, Flag, Json, Time } from '../../database/schema.ts'
import type { WebhookMessageState } from './schema.ts'

/** An address that events are sent to. Its secrets are kept elsewhere (base/credentials.ts). */
export interface WebhooksTable {
  id: Generated<number>
  organization_id: Fixed<number>
  name: string
  name_key: string
  url: string
  /** An array of EventType. */
  event_types: Json
  /** Most events of a message. */
  batch_size: number
  allows_private_addresses: Flag
  is_enabled: Flag
  /** null = it has no secrets. */
  credential_place: ColumnType<
    CredentialPlace | null,
    CredentialPlace | null | undefined,
    CredentialPlace | null
  >
  /** The last event that a message was made of, or that was passed over. */
  position: number
  /** The first failure since the last message that was accepted. */
  failing_since: ColumnType<Time | null, undefined, Time | null>
  /** Attempts since then, of which none succeeded. */
  failures: ColumnType<number, undefined, number>
  /** Nothing is sent before. */
  held_until: ColumnType<Time, undefined, Time>
  delivered_at: ColumnType<Time | null, undefined, Time | null>
  /** When Listwright disabled it; null = it did not. */
  disabled_at: ColumnType<Time | null, undefined, Time | null>
  /** Why the last attempt failed. */
  fault: ColumnType<StoredRefusal | null, undefined, StoredRefusal | null>
  created_at: Fixed<Time>
  updated_at: Time
}

/** What is sent to webhooks, and what became of it. */
export interface WebhookMessagesTable {
  id: Generated<number>
  webhook_id: Fixed<number>
  first_event_id: Fixed<number>
  last_event_id: Fixed<number>
  events: Fixed<number>
  /** Those of the webhook when the message was made. */
  event_types: Fixed<Json>
  /** null = it is a batch. */
  subscriber_id: Fixed<number | null>
  state: WebhookMessageState
  attempts: ColumnType<number, undefined, number>
  /** It is not sent before. */
  next_at: ColumnType<Time, undefined, Time>
  first_attempt_at: ColumnType<Time | null, undefined, Time | null>
  attempted_at: ColumnType<Time | null, undefined, Time | null>
  /** What the last attempt took. */
  milliseconds: ColumnType<number | null, undefined, number | null>
  /** The HTTP status of its answer; null = there was none. */
  status: ColumnType<number | null, undefined, number | null>
  /** The beginning of its answer, or why there was none. */
  answer: ColumnType<string | null, undefined, string | null>
  created_at: Fixed<Time>
}

declare module '../../database/schema.ts' {
  interface Schema {
    webhooks: WebhooksTable
    webhook_messages: WebhookMessagesTable
  }
  interface ChangedEntities {
    webhook: unknown
  }
}
