import { type Static, Type } from 'typebox'
import type { ContentFormat } from '../autoresponders/schema.ts'
import { Nullable, Timestamp } from '../../http/schema.ts'

/**
 * The states of a message that goes by SMTP, by their names; the numbers are those of the table. Accepted rows are not in the index of states:
 * nearly all rows are accepted.
 */
export const journalStates = {
  /** Held back for a moment, or for as long as its recipient's domain wants fewer messages. */
  waiting: 0,
  /** Given to a connection; what became of it is not known yet. */
  in_flight: 1,
  accepted: 2,
  /** Refused for now. */
  retry: 3,
  /** Refused for good, or too often. */
  failed: 4,
  /** The connection was lost after the whole message had been handed over, and before the server's reply. */
  uncertain: 5,
  /** Its recipient unsubscribed, was suppressed or deleted before it could be sent. */
  withdrawn: 6
} as const
export type JournalStateName = keyof typeof journalStates
export type JournalState = (typeof journalStates)[JournalStateName]
export const journalStateNames = Object.keys(journalStates) as JournalStateName[]

/** The formats of messages, by their numbers in the table. */
export const journalFormats = ['both', 'html', 'text'] as const satisfies readonly ContentFormat[]

export const JournalCounts = Type.Object({
  /** True if the campaign goes by SMTP; messages for the outbox are in no journal. */
  by_smtp: Type.Boolean(),
  /** Recipients who have not been reached yet, and those held back. */
  waiting: Type.Integer(),
  in_flight: Type.Integer(),
  accepted: Type.Integer(),
  retry: Type.Integer(),
  failed: Type.Integer(),
  uncertain: Type.Integer(),
  withdrawn: Type.Integer(),
  /** When the next message is tried again; null = none waits. */
  next_retry_at: Nullable(Timestamp)
})
export type JournalCounts = Static<typeof JournalCounts>

export const JournaledMessage = Type.Object({
  content_id: Nullable(Type.Integer()),
  /** 0 = no subscriber, such as an address of a seed list. */
  subscriber_id: Type.Integer(),
  /** null = the subscriber was deleted. */
  email: Nullable(Type.String()),
  state: Type.Enum([...journalStateNames]),
  attempts: Type.Integer(),
  changed_at: Timestamp,
  retry_at: Nullable(Timestamp),
  smtp_server: Nullable(Type.String()),
  code: Nullable(Type.Integer()),
  reply: Nullable(Type.String())
})
export type JournaledMessage = Static<typeof JournaledMessage>
