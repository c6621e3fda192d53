import type { Selectable } from 'kysely'
import { journalFormats, journalStates, type JournalState } from '../api/journal/schema.ts'
import type { MessageJournalTable } from '../api/journal/tables.ts'
import type { ContentFormat } from '../api/autoresponders/schema.ts'
import { remoteRecipient } from '../api/remote-lists/queries.ts'
import { isRemoteId } from '../api/remote-lists/recipient-ids.ts'
import { recordLocalBounce } from '../api/remote-lists/removals.ts'
import { incrementCounter } from '../api/statistics/counting.ts'
import { countInjected } from '../api/statistics/rules.ts'
import type { CounterName, Counters } from '../api/statistics/schema.ts'
import type { CommandContext } from '../database/command.ts'
import type { MessageKey } from './smtp/flight-log.ts'
import { type CountedMessage, returnQuota } from './smtp/quota.ts'
import { enhancedCodeOf, type SmtpOutcome } from './smtp/outcome.ts'
import { pauseAfter, type RetrySchedule } from './smtp/retry-schedule.ts'

/** A message that is given to a connection; it is in flight once this is stored. */
export interface Claim extends MessageKey {
  format: ContentFormat
  /** The address of a recipient who is no subscriber. */
  email: string | null
  /** null = it is new; otherwise how often it has been tried. */
  attempts: number | null
  /** JSON of what it is made of beside its content; null = nothing. */
  details: string | null
  /** When it may go, if that is later: then it waits. */
  dueAt: number | null
}

/** What became of a message that was in flight or waiting. */
export interface ResolvedMessage extends MessageKey {
  outcome:
    | SmtpOutcome
    /** It was not tried, and may go at a time in UNIX milliseconds. */
    | { is: 'released'; dueAt: number }
    /** Its subscriber is no longer active on the list. */
    | { is: 'withdrawn' }
}

type JournalRow = Selectable<MessageJournalTable>

/**
 * A new row has room for the words of a server, such as "250 2.0.0 Ok: queued as 4cXn2Q1zJ9z1Kq". Without it rows would grow, and half of the
 * table's pages would stay empty.
 */
const roomForReply = ' '.repeat(40)

/** Writes the journal of messages; what is counted of them is counted with it. */
export class Journal {
  readonly #context: CommandContext
  readonly #counters = new Map<number, Partial<Counters>>()
  readonly #states = new Map<string, { sliceId: number; state: JournalState; by: number }>()

  /** Bounces of recipients of Remote Lists. */
  readonly #remoteBounces: {
    sliceId: number
    subscriberId: number
    code: number | null
    reply: string | null
  }[] = []

  readonly #keepsRecipients: boolean

  /** @param keepsRecipients true if segments may ask who was sent the contents */
  constructor(context: CommandContext, { keepsRecipients }: { keepsRecipients: boolean }) {
    this.#context = context
    this.#keepsRecipients = keepsRecipients
  }

  /** Stores that messages are in flight to a server. */
  claim(claims: readonly Claim[], smtpServerId: number): void {
    const { sqlite, now } = this.#context
    const insert = sqlite.prepare(
      `INSERT INTO message_journal
        (stat_slice_id, subscriber_id, number, state, format, attempts, changed_at, due_at, smtp_server_id, email, details, reply)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '${roomForReply}')`
    )
    const update = sqlite.prepare(
      `UPDATE message_journal SET state = ?, attempts = ?, changed_at = ?, due_at = ?, smtp_server_id = ?
        WHERE stat_slice_id = ? AND subscriber_id = ? AND number = ?`
    )
    for (const { sliceId, subscriberId, number, format, email, attempts, details, dueAt } of claims) {
      const before = attempts ?? 0
      const state = dueAt === null ? journalStates.in_flight : waitingState(before)
      const tried = dueAt === null ? before + 1 : before
      if (attempts === null) {
        insert.run(
          sliceId,
          subscriberId,
          number,
          state,
          journalFormats.indexOf(format),
          tried,
          now,
          dueAt,
          smtpServerId,
          email,
          details
        )
        countInjected(this.#countersOf(sliceId), format, subscriberId === 0, 1)
      } else {
        update.run(state, tried, now, dueAt, smtpServerId, sliceId, subscriberId, number)
        this.#count(sliceId, waitingState(before), -1)
      }
      this.#count(sliceId, state, 1)
    }
  }

  /**
   * Stores what became of messages. Those that are not in flight or waiting any more keep what they have.
   * @returns the subscribers whose messages were accepted
   */
  resolve(all: readonly ResolvedMessage[], schedule: RetrySchedule): number[] {
    const accepted: number[] = []
    const unsent: CountedMessage[] = []
    const { sqlite, now } = this.#context
    const find = sqlite.prepare<[number, number, number], JournalRow>(
      'SELECT * FROM message_journal WHERE stat_slice_id = ? AND subscriber_id = ? AND number = ?'
    )
    const update = sqlite.prepare(
      `UPDATE message_journal SET state = ?, attempts = ?, changed_at = ?, due_at = ?, code = ?, reply = ?
        WHERE stat_slice_id = ? AND subscriber_id = ? AND number = ?`
    )
    const addRecipient = sqlite.prepare(
      'INSERT INTO stat_recipients (stat_slice_id, subscriber_id, sent_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
    )
    for (const resolved of all) {
      const { sliceId, subscriberId, number } = resolved
      const row = find.get(sliceId, subscriberId, number)
      if (!row || !isUnresolved(row.state)) continue
      const after = rowAfter(row, resolved, this.#context.clock, schedule)
      const { state, attempts, due_at, code, reply } = after
      const isUnsent = row.state === journalStates.in_flight && resolved.outcome.is === 'unsent'
      if (isUnsent && row.smtp_server_id !== null) {
        unsent.push({ smtpServerId: row.smtp_server_id, at: row.changed_at })
      }
      update.run(state, attempts, now, due_at, code, reply, sliceId, subscriberId, number)
      this.#count(sliceId, row.state, -1)
      this.#count(sliceId, state, 1)
      const mayBeThere = state === journalStates.accepted || state === journalStates.uncertain
      if (state === journalStates.accepted) accepted.push(subscriberId)
      if (this.#keepsRecipients && mayBeThere && subscriberId !== 0)
        addRecipient.run(sliceId, subscriberId, now)
      this.#countOutcome(resolved, journalFormats[row.format] ?? 'both', state, code)
      if (state === journalStates.failed && subscriberId !== 0) this.#recordBounce(resolved, { code, reply })
    }
    returnQuota(this.#context, unsent)
    return accepted
  }

  /** Has all uncertain messages of some contents tried again. @returns how many there are */
  retryUncertain(sliceIds: readonly number[]): number {
    const { sqlite, now, clock } = this.#context
    const update = sqlite.prepare(
      `UPDATE message_journal SET state = ?, due_at = ?, changed_at = ? WHERE stat_slice_id = ? AND state = ? AND state <> 2`
    )
    const { retry, uncertain } = journalStates
    let all = 0
    for (const sliceId of sliceIds) {
      const { changes } = update.run(retry, clock, now, sliceId, uncertain)
      this.#count(sliceId, uncertain, -changes)
      this.#count(sliceId, retry, changes)
      all += changes
    }
    this.#saveStates()
    return all
  }

  /** Stores the counts; the last step of a command. @param timeZone for the hours of statistics */
  async save(timeZone: string): Promise<void> {
    this.#saveStates()
    for (const { sliceId, subscriberId, ...bounce } of this.#remoteBounces) {
      const recipient = await remoteRecipient(this.#context.db, { sliceId, subscriberId })
      if (!recipient) continue
      await recordLocalBounce(this.#context, recipient, {
        ...{ sliceId, class: bounceClassOf(bounce.code), code: bounceCodeOf(bounce) }
      })
    }
    for (const [sliceId, counters] of this.#counters) {
      await incrementCounter(this.#context, sliceId, counters, timeZone)
    }
  }

  #saveStates(): void {
    const add = this.#context.sqlite.prepare(
      `INSERT INTO journal_counts (stat_slice_id, state, messages) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET messages = messages + excluded.messages`
    )
    for (const { sliceId, state, by } of this.#states.values()) if (by !== 0) add.run(sliceId, state, by)
  }

  #count(sliceId: number, state: JournalState, by: number): void {
    const key = `${sliceId} ${state}`
    const counted = this.#states.get(key) ?? { sliceId, state, by: 0 }
    counted.by += by
    this.#states.set(key, counted)
  }

  #countOutcome(
    { sliceId, subscriberId }: ResolvedMessage,
    format: ContentFormat,
    state: JournalState,
    code: number | null
  ): void {
    const counters = this.#countersOf(sliceId)
    const add = (...names: CounterName[]): void => {
      for (const name of names) counters[name] = (counters[name] ?? 0) + 1
    }
    const isSeed = subscriberId === 0
    if (state === journalStates.accepted) {
      add('total_success')
      if (!isSeed) add('delivered')
    } else if (state === journalStates.failed) {
      add('total_failure')
      const kind = `bounces_unique_${bounceClassOf(code)}` as const
      // A message that no server took over is a local bounce (docs/api.md, "Statistics").
      if (!isSeed) add('bounces_total', 'bounces_unique_local', kind)
    } else if (state === journalStates.withdrawn) {
      countInjected(counters, format, isSeed, -1)
    }
  }

  #recordBounce(
    { sliceId, subscriberId }: ResolvedMessage,
    bounce: { code: number | null; reply: string | null }
  ): void {
    if (isRemoteId(subscriberId)) {
      this.#remoteBounces.push({ sliceId, subscriberId, ...bounce })
      return
    }
    this.#context.sqlite
      .prepare(
        `INSERT INTO stat_events (stat_slice_id, type, subscriber_id, email, is_unique, bounce_code, occurred_at)
          SELECT ?, 'bounce', id, email, 1, ?, ? FROM subscribers WHERE id = ?`
      )
      .run(sliceId, bounceCodeOf(bounce), this.#context.now, subscriberId)
  }

  #countersOf(sliceId: number): Partial<Counters> {
    const counters = this.#counters.get(sliceId) ?? {}
    this.#counters.set(sliceId, counters)
    return counters
  }
}

/** The class of a message that no server took over. @param code of the last reply */
function bounceClassOf(code: number | null): 'hard' | 'soft' {
  return (code ?? 0) >= 500 ? 'hard' : 'soft'
}

function bounceCodeOf({ code, reply }: { code: number | null; reply: string | null }): string {
  return enhancedCodeOf(reply ?? '') ?? String(code ?? 0)
}

function waitingState(attempts: number): JournalState {
  return attempts === 0 ? journalStates.waiting : journalStates.retry
}

function isUnresolved(state: JournalState): boolean {
  return state === journalStates.in_flight || state === journalStates.waiting || state === journalStates.retry
}

type RowState = Pick<JournalRow, 'state' | 'attempts' | 'due_at' | 'code' | 'reply'>

/** @param clock UNIX milliseconds */
function rowAfter(
  row: JournalRow,
  { outcome }: ResolvedMessage,
  clock: number,
  schedule: RetrySchedule
): RowState {
  const { attempts } = row
  switch (outcome.is) {
    case 'accepted':
      return { state: journalStates.accepted, attempts, due_at: null, code: null, reply: outcome.reply }
    case 'uncertain':
      return { state: journalStates.uncertain, attempts, due_at: null, code: null, reply: outcome.reply }
    case 'refused':
      return { ...outcomeOf(outcome), state: journalStates.failed, attempts, due_at: null }
    case 'deferred': {
      const pause = pauseAfter(attempts, schedule)
      return pause === null
        ? { ...outcomeOf(outcome), state: journalStates.failed, attempts, due_at: null }
        : { ...outcomeOf(outcome), state: journalStates.retry, attempts, due_at: clock + pause }
    }
    case 'unsent':
    case 'released': {
      const made = row.state === journalStates.in_flight ? attempts - 1 : attempts
      const due_at = outcome.is === 'released' ? outcome.dueAt : clock
      return { state: waitingState(made), attempts: made, due_at, code: row.code, reply: row.reply }
    }
    case 'withdrawn':
      return { state: journalStates.withdrawn, attempts, due_at: null, code: row.code, reply: row.reply }
  }
}

function outcomeOf({ code, reply }: Pick<RowState, 'code' | 'reply'>): Pick<RowState, 'code' | 'reply'> {
  return { code, reply }
}
