import { type Static, Type } from 'typebox'
import { Nullable, Reference, Timestamp } from '../http/schema.ts'
import { bounceReasons } from './reports/reasons.ts'

/** What a received message is; "other" changes nothing. */
export const receivedKinds = ['bounce', 'complaint', 'unsubscribe', 'other'] as const
export type ReceivedKind = (typeof receivedKinds)[number]

const ReceivedRecipient = Type.Object({
  address: Type.String(),
  /** null unless the message is a bounce. */
  class: Nullable(Type.Enum(['hard', 'soft', 'other'])),
  reason: Nullable(Type.Enum([...bounceReasons])),
  /** The enhanced status code (RFC 3463), such as "5.1.1"; '' = none is known. */
  status: Nullable(Type.String()),
  /** The words of the server. */
  words: Type.String(),
  /** True if the message may still arrive. */
  is_delayed: Type.Boolean(),
  /** null = it is about no message that was sent from here. */
  subscriber_id: Nullable(Type.Integer()),
  campaign_id: Nullable(Type.Integer()),
  campaign_name: Nullable(Type.String())
})

export const ReceivedMessage = Type.Object({
  id: Type.Integer(),
  kind: Type.Enum([...receivedKinds]),
  subject: Type.String(),
  received_at: Timestamp,
  /** True while the message itself is stored: for 90 days. */
  has_raw: Type.Boolean(),
  recipients: Type.Array(ReceivedRecipient)
})
export type ReceivedMessage = Static<typeof ReceivedMessage>

/** What judging the stored bounces again would change, or has changed. */
const judged = {
  /** Bounces that were read again: those of the last 90 days. */
  reports: Type.Integer(),
  /** Recipients whose class, reason or status code is another one. */
  changed_verdicts: Type.Integer(),
  /** Subscribers who would become bounced, and active again. */
  bounced: Type.Integer(),
  active: Type.Integer()
}

export const JudgementPreview = Type.Object({
  ...judged,
  /** The first of the subscribers. */
  subscribers: Type.Array(
    Type.Object({
      id: Type.Integer(),
      email: Type.String(),
      mailing_list: Reference,
      before: Type.String(),
      after: Type.String()
    })
  )
})
export type JudgementPreview = Static<typeof JudgementPreview>

export const AppliedJudgement = Type.Object({ id: Type.Integer(), ...judged })
export type AppliedJudgement = Static<typeof AppliedJudgement>
