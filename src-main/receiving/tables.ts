import type { ColumnType, Generated } from 'kysely'
import type { Fixed, Flag, Json, Time } from '../database/schema.ts'
import type { BounceClass, BounceReason } from './reports/reasons.ts'
import type { ReceivedKind } from './schema.ts'

/** Messages that came back. Each is stored once, however often it is received. */
export interface ReceivedMessagesTable {
  id: Generated<number>
  organization_id: Fixed<number>
  /** SHA-256 of the message, in hex. */
  digest: Fixed<string>
  kind: Fixed<ReceivedKind>
  subject: Fixed<string>
  received_at: Fixed<Time>
  /** As it came; null once it is old. */
  raw: Buffer | null
}

/** What received messages say of each recipient. */
export interface ReceivedRecipientsTable {
  id: Generated<number>
  received_message_id: Fixed<number>
  /** In lower case. */
  address: Fixed<string>
  /** These three are null unless the message is a bounce. */
  class: BounceClass | null
  reason: BounceReason | null
  /** The enhanced status code (RFC 3463); '' = none is known. */
  status: string | null
  words: Fixed<string>
  /** 1 = the message may still arrive. */
  is_delayed: Fixed<Flag>
  /** The content whose message it is about; null = no message of ours was found. */
  stat_slice_id: Fixed<number | null>
  subscriber_id: Fixed<number | null>
  received_at: Fixed<Time>
  /** 1 = it set the subscriber to bounced; of reports that came before this was stored it is not known. */
  updated_status: Generated<Flag>
}

/** What judging past bounces again has changed. */
export interface JudgementsTable {
  id: Generated<number>
  organization_id: Fixed<number>
  reports: Fixed<number>
  /** ChangedVerdict and ChangedStatus of judging/judgement.ts. */
  verdicts: Fixed<Json>
  statuses: Fixed<Json>
  judged_at: Fixed<Time>
  undone_at: ColumnType<Time | null, undefined, Time | null>
}

declare module '../database/schema.ts' {
  interface Schema {
    received_messages: ReceivedMessagesTable
    received_recipients: ReceivedRecipientsTable
    judgements: JudgementsTable
  }
  interface ChangedEntities {
    received_message: unknown
    judgement: unknown
  }
}
