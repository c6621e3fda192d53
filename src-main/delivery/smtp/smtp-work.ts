import type { DeliveryWait } from '../../api/campaigns/tables.ts'
import type { Refusal } from '../../base/refusal.ts'
import type { JobOutcome } from '../../jobs/outcome.ts'
import type { Claim, ResolvedMessage } from '../journal.ts'
import type { MessageComposer } from '../message.ts'
import type { SmtpRoute } from '../plan.ts'
import type { JournaledRow, RecipientRow } from '../queries.ts'
import type { Mail } from '../recipients.ts'
import type { Quota } from './quota.ts'

/** A message that may be claimed. */
export interface Candidate {
  mail: Mail
  /** Tells messages of one content to one recipient apart. */
  number: number
  /** null = it is new; otherwise how often it has been tried. */
  attempts: number | null
  /** JSON of what it is made of beside its content; null = nothing. */
  details: string | null
}

/** Messages that are claimed together. */
export interface Candidates<Step> {
  messages: Candidate[]
  /** Messages that were waiting, and whose recipients are none any more. */
  withdrawn: ResolvedMessage[]
  /** What is stored with the claim, such as a new checkpoint; null = nothing. */
  step: Step | null
}

export interface ClaimInput<Step> {
  messages: Claim[]
  smtpServerId: number
  step: Step | null
}

/** The answer to a step. */
export interface Advanced {
  /** False if the work was paused or cancelled: then nothing was claimed. */
  goesOn: boolean
  isClaimed: boolean
  /** If they were not claimed: what the limits of the server leave. */
  quota: Quota
}

/** Messages of one kind that go by SMTP: those of a campaign, of an autoresponder, or of a form. */
export interface SmtpWork<Step> {
  /** The campaign that it sends; null = none. */
  readonly campaignId: number | null
  /** The name of its flight log. */
  readonly name: string
  readonly sender: string
  readonly route: SmtpRoute
  readonly composer: MessageComposer
  /** The contents whose messages are in the journal. */
  readonly sliceIds: readonly number[]
  /** Messages per hour; 0 = as fast as it goes. */
  readonly speed: number
  /** True if the work is over while messages wait for a retry. */
  readonly endsBeforeRetries: boolean
  /** Returns new messages; null = there are no more. */
  nextNew: (most: number) => Promise<Candidates<Step> | null>
  /** Called once messages of {@link nextNew} are claimed. */
  claimed: (candidates: Candidates<Step>) => void
  /** Returns a message that is tried again; null if there is nothing to send any more. @param subscriber undefined for one who gets no messages any more */
  mailOf: (row: JournaledRow, subscriber: RecipientRow | undefined) => Mail | null | Promise<Mail | null>
  /** Returns those of some recipients who may still get messages, without those whose addresses are suppressed. */
  reachable: (ids: readonly number[]) => Promise<RecipientRow[]>
  /** Stores what became of messages, and which are handed over next, durably and in one transaction. */
  advance: (resolved: ResolvedMessage[], claim: ClaimInput<Step> | null) => Promise<Advanced>
  /** Stores that nothing can be sent before a time in UNIX milliseconds. */
  wait: (what: DeliveryWait, until: number, fault: Refusal | null, failures: number) => Promise<JobOutcome>
}
