import type { Kysely } from 'kysely'
import type { DeliveryWait } from '../../api/campaigns/tables.ts'
import { suppressedAmong } from '../../api/suppression-lists/queries.ts'
import { type Refusal, refusal } from '../../base/refusal.ts'
import type { CommandResult } from '../../database/command.ts'
import type { Schema } from '../../database/schema.ts'
import type { JobOutcome } from '../../jobs/outcome.ts'
import type { RunningJob } from '../../jobs/run-job.ts'
import type { DeliveryData } from '../delivery.ts'
import type { Claim, Settled } from '../journal.ts'
import type { MessageComposer } from '../message.ts'
import type { DeliveryPlan, RouteServer, SmtpRoute } from '../plan.ts'
import {
  activeAmong,
  dueMessages,
  inFlightOf,
  type JournaledRow,
  nextDueAt,
  seedMessagesOf
} from '../queries.ts'
import { addresseeOf, type Mail, nextRecipients, seedMails } from '../recipients.ts'
import { asksForLess, DomainPace, domainOf } from './domain-pace.ts'
import { FlightLog, flightLogPath, keyOf, type MessageKey, readFlightLog } from './flight-log.ts'
import type { ServerFault } from './outcome.ts'
import { type Flight, type Landed, Sender } from './sender.ts'

/** Messages that are claimed at once. */
const claimedAtOnce = 250
/** Below this many messages that have yet to be sent, the next ones are claimed. */
const lowWater = 100
/** Outcomes are stored after this long, in milliseconds, or when there are so many. */
const [storedAfter, storedAtOnce] = [250, 250]
/** Messages that are due again are looked for so often, in milliseconds. */
const lookInterval = 200
/** A campaign that has to wait longer gives up its thread, in milliseconds. */
const maxPause = 10_000
/** After so many refusals without an acceptance the campaign is paused: the fault is then not the recipients'. */
const mostRefusedInARow = 50

/** A message that may be claimed. */
interface Candidate {
  mail: Mail
  number: number
  /** null = it is new. */
  attempts: number | null
}

/** Candidates that belong together: if they are claimed, the checkpoint moves. */
interface Candidates {
  messages: Candidate[]
  withdrawn: Settled[]
  /** null = those are messages that are tried again. */
  progress: { afterId: number; suppressed: number; isLast: boolean } | null
}

/** One phase of a campaign by SMTP: subscribers by id -> journal -> connections -> journal. */
export class SmtpDelivery {
  readonly #job: RunningJob<DeliveryData>
  readonly #reader: Kysely<Schema>
  readonly #plan: DeliveryPlan
  readonly #route: SmtpRoute
  readonly #composer: MessageComposer
  readonly #pace: DomainPace
  readonly #formats = new Map<string, Settled['format']>()
  readonly #sliceIds: number[]
  #wake: () => void = () => undefined
  #isMainPassOver = false
  /** Messages to seed lists that have yet to be claimed; null = not read yet. */
  #seeds: Candidate[] | null = null
  /** When messages that are due again are looked for, by performance.now(). */
  #nextLook = 0
  #afterId: number
  #refusedInARow = 0
  #lastRefusal = ''
  #hasAccepted = false
  /** For the speed limit: when the run began, and what was claimed in it. */
  readonly #began = performance.now()
  #claimed = 0

  constructor(
    job: RunningJob<DeliveryData>,
    reader: Kysely<Schema>,
    plan: DeliveryPlan,
    route: SmtpRoute,
    composer: MessageComposer
  ) {
    this.#job = job
    this.#reader = reader
    this.#plan = plan
    this.#route = route
    this.#composer = composer
    this.#pace = new DomainPace(job.data.schedule.domainPauses)
    this.#sliceIds = plan.message.contents.map(({ sliceId }) => sliceId)
    this.#afterId = plan.progress.afterId
  }

  async run(): Promise<JobOutcome> {
    const path = flightLogPath(this.#job.dataDirectory, `campaign-${this.#job.id}`)
    await this.#settleInterrupted(path)
    const fault = this.#routeFault()
    if (fault) return { is: 'held', fault }
    const log = FlightLog.open(path)
    const senders = this.#route.servers.map(
      (server) => new Sender(server, this.#job.data.secrets[server.id] ?? null, log, () => this.#wake())
    )
    const wakeOnAbort = (): void => this.#wake()
    this.#job.signal.addEventListener('abort', wakeOnAbort)
    try {
      return await this.#send(senders, log)
    } finally {
      this.#job.signal.removeEventListener('abort', wakeOnAbort)
      await Promise.all(senders.map((sender) => sender.stop()))
      await this.#store(senders, log)
      log.close()
    }
  }

  /** Stores what is known of messages that were in flight when an earlier thread was cut off. */
  async #settleInterrupted(path: string): Promise<void> {
    const rows = await inFlightOf(this.#reader, this.#sliceIds)
    if (rows.length === 0) return
    const known = readFlightLog(path)
    const settled = rows.map((row): Settled => {
      const key = keyOfRow(row)
      const outcome = known
        ? (known.get(keyOf(key)) ?? ({ is: 'unsent', fault: null } as const))
        : ({ is: 'uncertain', reply: 'the computer was switched off before the reply was stored' } as const)
      return { ...key, format: 'both', outcome }
    })
    await this.#job.client.run('deliveries.advance', {
      id: this.#job.id,
      settled,
      claim: null,
      schedule: this.#job.data.schedule
    })
  }

  #routeFault(): Refusal | null {
    const { servers, name } = this.#route
    if (servers.length === 0) {
      const sender = this.#plan.message.sender.from_email
      return refusal('route_without_server', { route: name, sender })
    }
    const locked = servers.find(({ id, needsSecret }) => needsSecret && !this.#job.data.secrets[id])
    return locked ? refusal('smtp_secret_unreadable', { server: locked.name }) : null
  }

  async #send(senders: readonly Sender[], log: FlightLog): Promise<JobOutcome> {
    let candidates: Candidates | null = null
    let lastStored = performance.now()
    /** What the server's limits leave; the next claim is no larger. */
    let room = Infinity
    let quotaUntil = 0
    for (;;) {
      for (const sender of senders) sender.throwIfBroken()
      if (this.#job.signal.aborted) return { is: 'stopped' }
      if (this.#refusedInARow >= mostRefusedInARow) {
        const [{ server }] = senders as [Sender]
        const words = this.#lastRefusal
        return {
          is: 'held',
          fault: refusal('smtp_all_refused', { server: server.name, count: this.#refusedInARow, words })
        }
      }
      const usable = senders.filter(({ fault }) => fault === null)
      const pending = sum(senders.map((sender) => sender.pending))
      const isLow = usable.length > 0 && pending < lowWater
      const allowance = this.#allowance()
      if (isLow && allowance > 0 && Date.now() >= quotaUntil) {
        candidates ??= await this.#nextCandidates(Math.min(claimedAtOnce, allowance, room))
      }
      const landed = sum(senders.map((sender) => sender.landed))
      const isTime = landed >= storedAtOnce || (landed > 0 && performance.now() - lastStored >= storedAfter)
      const [target] = [...usable].sort((a, b) => a.pending - b.pending)
      if (candidates && target) {
        const answer = await this.#claim(senders, log, target, candidates)
        lastStored = performance.now()
        if (!answer.goesOn) return { is: 'stopped' }
        candidates = null
        room = answer.isClaimed || answer.quota.room === 0 ? Infinity : answer.quota.room
        quotaUntil = answer.isClaimed || answer.quota.room > 0 ? 0 : answer.quota.until
        continue
      }
      if (isTime || (landed > 0 && pending === 0)) {
        if (!(await this.#store(senders, log))) return { is: 'stopped' }
        lastStored = performance.now()
        continue
      }
      if (pending === 0) {
        const outcome = await this.#whenIdle(senders, usable, quotaUntil)
        if (outcome) return outcome
      }
      await this.#progress(landed > 0 ? storedAfter : this.#pauseUntilNext(pending, quotaUntil))
    }
  }

  /** Returns how the job ends or waits when nothing is under way; null = it goes on shortly. */
  async #whenIdle(
    senders: readonly Sender[],
    usable: readonly Sender[],
    quotaUntil: number
  ): Promise<JobOutcome | null> {
    if (usable.length === 0) return this.#serversFailed(senders)
    const now = Date.now()
    if (quotaUntil > now + maxPause) return this.#waitFor('quota', quotaUntil)
    const forSpeed = this.#pauseForSpeed()
    if (forSpeed > maxPause) return this.#waitFor('speed', now + forSpeed)
    if (forSpeed > 0 || !this.#isMainPassOver || quotaUntil > now) return null
    const dueAt = await nextDueAt(this.#reader, this.#sliceIds)
    if (dueAt === null) return { is: 'finished' }
    // A split test is decided while some of its messages are tried again.
    if (this.#plan.pass.kind === 'split_testing') return { is: 'finished' }
    if (dueAt > now + maxPause) return this.#waitFor('retry', dueAt)
    this.#nextLook = performance.now() + Math.max(0, dueAt - now)
    return null
  }

  async #serversFailed(senders: readonly Sender[]): Promise<JobOutcome> {
    const [first] = senders.flatMap(({ server, fault }) => (fault ? [{ server, fault }] : []))
    if (!first) throw new Error('no server failed')
    const fault = this.#refusalOf(first.server, first.fault)
    if (first.fault.kind !== 'unreachable' && first.fault.kind !== 'busy') return { is: 'held', fault }
    const failures = this.#hasAccepted ? 0 : this.#route.failures
    const [firstPause, longestPause] = this.#job.data.schedule.serverPauses
    const wait = Math.min(longestPause, firstPause * 2 ** Math.min(failures, 10))
    return this.#waitFor('server', Date.now() + wait, fault, failures + 1)
  }

  #refusalOf({ name: server }: RouteServer, { kind, words }: ServerFault): Refusal {
    switch (kind) {
      case 'sign_in':
        return refusal('smtp_sign_in_refused', { server, words })
      case 'protection':
        return refusal('smtp_not_protected', { server, words })
      case 'sender':
        return refusal('smtp_sender_refused', { server, words, sender: this.#plan.message.sender.from_email })
      case 'unreachable':
      case 'busy':
        return refusal('smtp_unreachable', { server, words })
    }
  }

  async #waitFor(
    what: DeliveryWait,
    until: number,
    fault: Refusal | null = null,
    failures = 0
  ): Promise<JobOutcome> {
    await this.#job.client.run('deliveries.wait', { id: this.#job.id, for: what, until, fault, failures })
    return { is: 'stopped' }
  }

  /** Returns the messages that come next: those that are due again, and then the next recipients. */
  async #nextCandidates(most: number): Promise<Candidates | null> {
    if (performance.now() >= this.#nextLook) {
      const due = await dueMessages(this.#reader, this.#sliceIds, Date.now(), most)
      if (due.length > 0) return this.#tryAgain(due)
      this.#nextLook = performance.now() + lookInterval
    }
    if (this.#isMainPassOver) return null
    this.#seeds ??= await this.#seedsLeft()
    if (this.#seeds.length > 0) {
      return { messages: this.#seeds.slice(0, most), withdrawn: [], progress: null }
    }
    const next = await nextRecipients(this.#reader, this.#plan, this.#afterId, most)
    const messages = next.mails.map((mail) => ({ mail, number: 0, attempts: null }))
    if (messages.length === 0 && next.isLast && next.suppressed === 0) {
      this.#isMainPassOver = true
      return null
    }
    return { messages, withdrawn: [], progress: next }
  }

  /** Returns the messages to seed lists that are not in the journal yet. */
  async #seedsLeft(): Promise<Candidate[]> {
    if (this.#plan.pass.kind === 'winner') return []
    const known = new Set(
      (await seedMessagesOf(this.#reader, this.#sliceIds)).map((row) => keyOf(keyOfRow(row)))
    )
    return seedMails(this.#plan)
      .map((mail, number) => ({ mail, number, attempts: null }))
      .filter(({ mail, number }) => !known.has(keyOf(keyOfMail(mail, number))))
  }

  async #tryAgain(rows: readonly JournaledRow[]): Promise<Candidates> {
    const ids = rows.map((row) => row.subscriber_id).filter((id) => id !== 0)
    const active = new Map((await activeAmong(this.#reader, ids)).map((row) => [row.id, row]))
    const suppressed = await suppressedAmong(
      this.#reader,
      this.#plan.recipients,
      [...active.values()].map(({ email }) => email)
    )
    const messages: Candidate[] = []
    const withdrawn: Settled[] = []
    for (const row of rows) {
      const mail = this.#mailOf(row, active.get(row.subscriber_id))
      if (mail && !(suppressed.has(mail.addressee.email) && !mail.isSeed)) {
        messages.push({ mail, number: row.number, attempts: row.attempts })
      } else {
        withdrawn.push({
          ...keyOfRow(row),
          format: mail ? this.#formatOf(mail) : 'both',
          outcome: { is: 'withdrawn' }
        })
      }
    }
    return { messages, withdrawn, progress: null }
  }

  #mailOf(
    row: JournaledRow,
    subscriber: Awaited<ReturnType<typeof activeAmong>>[number] | undefined
  ): Mail | null {
    const content = this.#plan.message.contents.find(({ sliceId }) => sliceId === row.stat_slice_id)
    if (!content) return null
    const mail = { contentId: content.id, sliceId: content.sliceId }
    if (row.subscriber_id === 0) {
      const seeds = seedMails(this.#plan).filter(({ sliceId }) => sliceId === content.sliceId)
      return seeds.find(({ addressee }) => addressee.email === row.email) ?? null
    }
    return subscriber ? { ...mail, addressee: addresseeOf(subscriber, this.#plan), isSeed: false } : null
  }

  /** Stores outcomes and claims messages for a server, in one step. */
  async #claim(
    senders: readonly Sender[],
    log: FlightLog,
    target: Sender,
    { messages, withdrawn, progress }: Candidates
  ): Promise<CommandResult<'deliveries.advance'>> {
    const now = Date.now()
    const claims = messages.map(({ mail, number, attempts }): Claim & { mail: Mail } => {
      const at = this.#pace.placeOf(domainOf(mail.addressee.email), now)
      return {
        ...keyOfMail(mail, number),
        format: this.#formatOf(mail),
        email: mail.isSeed ? mail.addressee.email : null,
        attempts,
        dueAt: at > now ? at : null,
        mail
      }
    })
    const landed = this.#takeLanded(senders)
    const answer = await this.#job.client.run('deliveries.advance', {
      id: this.#job.id,
      settled: [...landed.map((each) => this.#settled(each)), ...withdrawn],
      claim: {
        messages: claims.map(({ mail, ...claim }) => claim),
        smtpServerId: target.server.id,
        progress: progress && { afterId: progress.afterId, suppressed: progress.suppressed }
      },
      schedule: this.#job.data.schedule
    })
    log.forget(landed.map(({ flight }) => flight.key))
    if (!answer.goesOn || !answer.isClaimed) return answer
    if (progress) {
      this.#afterId = progress.afterId
      this.#isMainPassOver ||= progress.isLast
    }
    if (claims.some(({ attempts, mail }) => attempts === null && mail.isSeed)) {
      this.#seeds?.splice(0, claims.length)
    }
    const goingNow = claims.filter(({ dueAt }) => dueAt === null)
    this.#claimed += goingNow.length
    target.add(goingNow.map((claim) => this.#flightOf(claim)))
    return answer
  }

  /** @returns whether to go on */
  async #store(senders: readonly Sender[], log: FlightLog): Promise<boolean> {
    const landed = this.#takeLanded(senders)
    if (landed.length === 0) return true
    const { goesOn } = await this.#job.client.run('deliveries.advance', {
      id: this.#job.id,
      settled: landed.map((each) => this.#settled(each)),
      claim: null,
      schedule: this.#job.data.schedule
    })
    log.forget(landed.map(({ flight }) => flight.key))
    return goesOn
  }

  #flightOf({ mail, sliceId, subscriberId, number, format }: Claim & { mail: Mail }): Flight {
    const key = { sliceId, subscriberId, number }
    this.#formats.set(keyOf(key), format)
    return {
      key,
      to: mail.addressee.email,
      compose: () => this.#composer.compose(mail.contentId, mail.addressee)
    }
  }

  #takeLanded(senders: readonly Sender[]): Landed[] {
    return senders.flatMap((sender) => sender.takeLanded())
  }

  #settled({ flight, outcome }: Landed): Settled {
    this.#learn(flight.to, outcome)
    const format = this.#formats.get(keyOf(flight.key)) ?? 'both'
    this.#formats.delete(keyOf(flight.key))
    return { ...flight.key, format, outcome }
  }

  #learn(to: string, outcome: Landed['outcome']): void {
    const domain = domainOf(to)
    if (outcome.is === 'accepted') {
      this.#pace.accepted(domain)
      this.#refusedInARow = 0
      this.#hasAccepted = true
    } else if (outcome.is === 'refused') {
      this.#refusedInARow = this.#hasAccepted ? 0 : this.#refusedInARow + 1
      this.#lastRefusal = outcome.reply
    } else if (outcome.is === 'deferred' && asksForLess(outcome.code, outcome.reply)) {
      this.#pace.slowDown(domain, Date.now())
    }
  }

  #formatOf({ contentId, addressee }: Mail): Settled['format'] {
    return this.#composer.formatOf(contentId, addressee)
  }

  /** Returns how many messages the speed of the campaign allows now; a second's worth at most. */
  #allowance(): number {
    const { speed } = this.#plan
    if (speed === 0) return Infinity
    const perSecond = Math.max(1, speed / 3600)
    const allowed = 1 + Math.floor(((performance.now() - this.#began) * speed) / 3_600_000)
    return Math.min(Math.floor(perSecond), allowed - this.#claimed)
  }

  #pauseForSpeed(): number {
    const { speed } = this.#plan
    if (speed === 0 || (this.#isMainPassOver && this.#allowance() > 0)) return 0
    return Math.max(0, this.#began + (this.#claimed / speed) * 3_600_000 - performance.now())
  }

  /** In milliseconds; what lands ends it earlier. */
  #pauseUntilNext(pending: number, quotaUntil: number): number {
    const forOthers = Math.max(this.#pauseForSpeed(), quotaUntil - Date.now())
    const untilNext = forOthers > 0 ? forOthers : this.#nextLook - performance.now()
    const isAllOut = pending > 0 && this.#isMainPassOver
    return Math.max(10, Math.min(1000, isAllOut ? 1000 : untilNext))
  }

  /** Waits until something lands, the job is stopped, or a time in milliseconds has passed. */
  #progress(most: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, most)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

function keyOfMail({ sliceId, addressee }: Mail, number: number): MessageKey {
  return { sliceId, subscriberId: addressee.id, number }
}

function keyOfRow(row: JournaledRow): MessageKey {
  return { sliceId: row.stat_slice_id, subscriberId: row.subscriber_id, number: row.number }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
