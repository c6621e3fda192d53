import type { Kysely } from 'kysely'
import type { DeliveryWait } from '../../api/campaigns/tables.ts'
import { type Refusal, refusal } from '../../base/refusal.ts'
import type { Schema } from '../../database/schema.ts'
import type { JobOutcome } from '../../jobs/outcome.ts'
import type { Claim, ResolvedMessage } from '../journal.ts'
import type { DkimSigner } from '../mime/dkim.ts'
import type { RouteServer } from '../plan.ts'
import { dueMessages, type JournaledRow, nextDueAt } from '../queries.ts'
import type { Mail } from '../recipients.ts'
import { signerFor, signingFault, type SigningKey } from '../signing.ts'
import type { CommandClient } from '../../database/writer.ts'
import { Dns } from '../preflight/dns.ts'
import { learnedPaces } from './pace-store.ts'
import { Providers } from './providers.ts'
import { asksForLess, DomainPace, domainOf } from './domain-pace.ts'
import { FlightLog, flightLogPath, type MessageKey } from './flight-log.ts'
import { resolveInterrupted } from './interrupted.ts'
import type { ServerFault } from './outcome.ts'
import type { Quota } from './quota.ts'
import type { RetrySchedule } from './retry-schedule.ts'
import { type Flight, type CompletedFlight, Sender } from './sender.ts'
import type { Advanced, Candidate, Candidates, SmtpWork } from './smtp-work.ts'

/** Messages that are claimed at once. */
const claimedAtOnce = 250
/** Before the first is accepted: if all are refused, most recipients have not been tried. */
const claimedAtFirst = 50
/** Below this many messages that have yet to be sent, the next ones are claimed. */
const minPending = 100
/** Outcomes are stored after this long, in milliseconds, or when there are so many. */
const [storedAfter, storedAtOnce] = [250, 250]
/** Messages that are due again are looked for so often, in milliseconds. */
const pollInterval = 200
/** A campaign that has to wait longer gives up its thread, in milliseconds. */
const maxPause = 10_000
/** After so many refusals in a row the work is paused: the fault is then not the recipients'. */
const mostRefusedInARow = 50
/** What was learned is stored so often, in milliseconds. */
const newsAfter = 1000
/** The longest pause between two looks at what may be done, in milliseconds. */
const maxIdle = 1000
const unlimited: Quota = { room: Infinity, until: 0 }

/** A server of the route, and what it may get. */
class ServerSlot {
  sender: Sender
  /** As far as it is known. */
  quota = unlimited
  /** When a server that failed is tried again, in UNIX milliseconds; null = that is not decided. */
  retryAt: number | null = null
  /** How often it failed in this run. */
  failures = 0

  constructor(sender: Sender) {
    this.sender = sender
  }
}

/** True for a fault that may pass without a user's help. */
function isPassing({ kind }: ServerFault): boolean {
  return kind === 'unreachable' || kind === 'busy'
}

interface RunOptions {
  dataDirectory: string
  signal: AbortSignal
  /** The passwords and tokens of the servers, by id. */
  secrets: Readonly<Record<number, string | null>>
  signingKeys: readonly SigningKey[]
  /** The DNS servers to ask; none = those of the system. */
  dnsServers: readonly string[]
  client: Pick<CommandClient, 'run'>
  schedule: RetrySchedule
}

/** Sends messages by SMTP: work -> journal -> connections -> journal. */
export class SmtpRun<Step> {
  readonly #work: SmtpWork<Step>
  readonly #reader: Kysely<Schema>
  readonly #options: RunOptions
  readonly #pace: DomainPace
  #providers: Providers
  /** Entries for the history log of the campaign that are not stored yet. */
  #entries: Refusal[] = []
  /** When news were stored last, by performance.now(). */
  #toldAt = 0
  #wake: () => void = () => undefined
  #hasNoMore = false
  /** When messages that are due again are looked for, by performance.now(). */
  #nextPoll = 0
  #refusals = { inARow: 0, words: '', server: '' }
  #hasAccepted = false
  /** Messages that the speed allows now, and when that was so, by performance.now(). */
  #tokens = 1
  #filledAt = performance.now()

  constructor(work: SmtpWork<Step>, reader: Kysely<Schema>, options: RunOptions) {
    this.#work = work
    this.#reader = reader
    this.#options = options
    this.#pace = new DomainPace(options.schedule.domainPauses)
    this.#providers = new Providers(new Dns(options.dnsServers), [])
  }

  async run(): Promise<JobOutcome> {
    const path = flightLogPath(this.#options.dataDirectory, this.#work.name)
    await resolveInterrupted(this.#reader, this.#work.sliceIds, path, (resolved) =>
      this.#work.advance(resolved, null)
    )
    const fault = this.#routeFault()
    if (fault) return { is: 'held', fault }
    const learned = await learnedPaces(this.#reader, Date.now())
    this.#pace.load(learned.paces)
    this.#providers = new Providers(new Dns(this.#options.dnsServers), learned.providers)
    const log = FlightLog.open(path)
    const slots = this.#work.route.servers.map((server) => new ServerSlot(this.#senderOf(server, log)))
    const wakeOnAbort = (): void => this.#wake()
    this.#options.signal.addEventListener('abort', wakeOnAbort)
    try {
      return await this.#send(slots, log)
    } finally {
      this.#options.signal.removeEventListener('abort', wakeOnAbort)
      await Promise.all(slots.map(({ sender }) => sender.stop()))
      await this.#store(slots, log)
      log.close()
      await this.#tellNews()
    }
  }

  #senderOf(server: RouteServer, log: FlightLog): Sender {
    const secret = this.#options.secrets[server.id] ?? null
    return new Sender(server, { secret, signer: server.signsDkim ? null : this.#signer() }, log, () =>
      this.#wake()
    )
  }

  #routeFault(): Refusal | null {
    const { servers, name: route } = this.#work.route
    if (servers.length === 0) {
      return refusal('route_without_server', { route, sender: this.#work.sender })
    }
    const locked = servers.find(({ id, needsSecret }) => needsSecret && !this.#options.secrets[id])
    if (locked) return refusal('smtp_secret_unreadable', { server: locked.name })
    const isSigned = servers.some(({ signsDkim }) => !signsDkim)
    return isSigned ? signingFault(this.#work.sender, this.#options.signingKeys) : null
  }

  #signer(): DkimSigner | null {
    return signerFor(this.#work.sender, this.#options.signingKeys)
  }

  async #send(slots: readonly ServerSlot[], log: FlightLog): Promise<JobOutcome> {
    let lastStored = performance.now()
    for (;;) {
      for (const { sender } of slots) sender.throwIfBroken()
      if (this.#options.signal.aborted) return { is: 'stopped' }
      if (this.#refusals.inARow >= mostRefusedInARow) return this.#allRefused()
      await this.#tryServersAgain(slots, log)
      if (performance.now() - this.#toldAt >= newsAfter) await this.#tellNews()
      const now = Date.now()
      const usable = slots.filter(({ sender, quota }) => sender.fault === null && quota.until <= now)
      const pending = sum(slots.map(({ sender }) => sender.pending))
      const [target] = [...usable].sort((a, b) => a.sender.pending - b.sender.pending)
      const allowance = this.#allowance()
      if (target && target.sender.pending < minPending && allowance > 0) {
        const atOnce = this.#hasAccepted ? claimedAtOnce : claimedAtFirst
        const most = Math.min(atOnce, allowance, target.quota.room)
        const candidates = await this.#nextCandidates(most)
        if (candidates) {
          const { goesOn, isClaimed, quota } = await this.#claim(slots, log, target.sender, candidates)
          lastStored = performance.now()
          if (!goesOn) return { is: 'stopped' }
          // What is left is asked for again; a server without room is not asked before it has some.
          target.quota = isClaimed ? unlimited : { ...quota, until: quota.room > 0 ? 0 : quota.until }
          continue
        }
      }
      const completed = sum(slots.map(({ sender }) => sender.completed))
      const isTime =
        completed >= storedAtOnce || (completed > 0 && performance.now() - lastStored >= storedAfter)
      if (isTime || (completed > 0 && pending === 0)) {
        if (!(await this.#store(slots, log))) return { is: 'stopped' }
        lastStored = performance.now()
        continue
      }
      if (pending === 0) {
        const outcome = await this.#whenIdle(slots)
        if (outcome) return outcome
      }
      await this.#progress(completed > 0 ? storedAfter : this.#pauseUntilNext(pending))
    }
  }

  /** Gives servers another chance that took no messages for a while; what a user has to correct is not tried again. */
  async #tryServersAgain(slots: readonly ServerSlot[], log: FlightLog): Promise<void> {
    const [firstPause, longestPause] = this.#options.schedule.serverPauses
    for (const slot of slots) {
      const { fault } = slot.sender
      if (fault === null || !isPassing(fault) || slot.sender.pending + slot.sender.completed > 0) continue
      slot.retryAt ??= Date.now() + Math.min(longestPause, firstPause * 2 ** Math.min(slot.failures, 10))
      if (Date.now() < slot.retryAt) continue
      await slot.sender.stop()
      slot.sender = this.#senderOf(slot.sender.server, log)
      slot.failures++
      slot.retryAt = null
    }
  }

  #allRefused(): JobOutcome {
    const { inARow: count, words, server } = this.#refusals
    return { is: 'held', fault: refusal('smtp_all_refused', { server, count, words }) }
  }

  /** Returns how the job ends or waits when nothing is under way; null = it goes on shortly. */
  async #whenIdle(slots: readonly ServerSlot[]): Promise<JobOutcome | null> {
    const working = slots.filter(({ sender }) => sender.fault === null)
    if (working.length === 0) return this.#serversFailed(slots)
    const now = Date.now()
    const quotaUntil = Math.min(...working.map(({ quota }) => quota.until))
    if (quotaUntil > now + maxPause) return this.#waitFor('quota', quotaUntil)
    const forSpeed = this.#pauseForSpeed()
    if (forSpeed > maxPause) return this.#waitFor('speed', now + forSpeed)
    if (forSpeed > 0 || !this.#hasNoMore || quotaUntil > now) return null
    const dueAt = await nextDueAt(this.#reader, this.#work.sliceIds)
    if (dueAt === null) return { is: 'finished' }
    if (dueAt > now + maxPause) {
      return this.#work.endsBeforeRetries ? { is: 'finished' } : this.#waitFor('retry', dueAt)
    }
    this.#nextPoll = performance.now() + Math.max(0, dueAt - now)
    return null
  }

  async #serversFailed(slots: readonly ServerSlot[]): Promise<JobOutcome> {
    const faults = slots.flatMap(({ sender: { server, fault } }) => (fault ? [{ server, fault }] : []))
    // A server that will be back comes first: a user need not do anything then.
    const first = faults.find(({ fault }) => isPassing(fault)) ?? faults[0]
    if (!first) throw new Error('no server failed')
    const fault = this.#refusalOf(first.server, first.fault)
    if (!isPassing(first.fault)) return { is: 'held', fault }
    const failures = this.#hasAccepted ? 0 : this.#work.route.failures
    const [firstPause, longestPause] = this.#options.schedule.serverPauses
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
        return refusal('smtp_sender_refused', { server, words, sender: this.#work.sender })
      case 'unreachable':
      case 'busy':
        return refusal('smtp_unreachable', { server, words })
    }
  }

  #waitFor(
    what: DeliveryWait,
    until: number,
    fault: Refusal | null = null,
    failures = 0
  ): Promise<JobOutcome> {
    return this.#work.wait(what, Math.ceil(until), fault, failures)
  }

  /** Returns the messages that come next: those that are due again, and then new ones. */
  async #nextCandidates(most: number): Promise<Candidates<Step> | null> {
    if (performance.now() >= this.#nextPoll) {
      const due = await dueMessages(this.#reader, this.#work.sliceIds, Date.now(), most)
      if (due.length > 0) return this.#tryAgain(due)
      this.#nextPoll = performance.now() + pollInterval
    }
    if (this.#hasNoMore) return null
    const next = await this.#work.nextNew(most)
    this.#hasNoMore = next === null
    return next
  }

  async #tryAgain(rows: readonly JournaledRow[]): Promise<Candidates<Step>> {
    const ids = rows.map((row) => row.subscriber_id).filter((id) => id !== 0)
    const reachable = new Map((await this.#work.reachable(ids)).map((row) => [row.id, row]))
    const messages: Candidate[] = []
    const withdrawn: ResolvedMessage[] = []
    for (const row of rows) {
      const mail = await this.#work.mailOf(row, reachable.get(row.subscriber_id))
      const { number, attempts, details } = row
      if (mail) messages.push({ mail, number, attempts, details })
      else withdrawn.push({ ...keyOfRow(row), outcome: { is: 'withdrawn' } })
    }
    return { messages, withdrawn, step: null }
  }

  /** Stores outcomes and claims messages for a server, in one step. */
  async #claim(
    slots: readonly ServerSlot[],
    log: FlightLog,
    target: Sender,
    candidates: Candidates<Step>
  ): Promise<Advanced> {
    const { messages, withdrawn, step } = candidates
    const now = Date.now()
    const claims = messages.map(({ mail, number, attempts, details }): Claim & { mail: Mail } => {
      const at = this.#pace.reserveTime(this.#paceKeyOf(mail.addressee.email), now)
      return {
        ...keyOfMail(mail, number),
        format: this.#work.composer.formatOf(mail.contentId, mail.addressee),
        email: mail.addressee.id === 0 ? mail.addressee.email : null,
        attempts,
        details,
        dueAt: at > now ? at : null,
        mail
      }
    })
    const completed = this.#takeCompleted(slots)
    const answer = await this.#work.advance(
      [...completed.map((each) => this.#resolved(each)), ...withdrawn],
      {
        messages: claims.map(({ mail, ...claim }) => claim),
        smtpServerId: target.server.id,
        step
      }
    )
    log.forget(completed.map(({ flight }) => flight.key))
    if (!answer.goesOn || !answer.isClaimed) return answer
    if (messages.some(({ attempts }) => attempts === null) || step) this.#work.claimed(candidates)
    const goingNow = claims.filter(({ dueAt }) => dueAt === null)
    this.#tokens -= goingNow.length
    target.add(goingNow.map((claim) => this.#flightOf(claim)))
    return answer
  }

  /** @returns whether to go on */
  async #store(slots: readonly ServerSlot[], log: FlightLog): Promise<boolean> {
    const completed = this.#takeCompleted(slots)
    if (completed.length === 0) return true
    const { goesOn } = await this.#work.advance(
      completed.map((each) => this.#resolved(each)),
      null
    )
    log.forget(completed.map(({ flight }) => flight.key))
    return goesOn
  }

  #flightOf({ mail, sliceId, subscriberId, number }: Claim & { mail: Mail }): Flight {
    return {
      key: { sliceId, subscriberId, number },
      to: mail.addressee.email,
      compose: () => this.#work.composer.compose(mail.contentId, mail.addressee, number)
    }
  }

  #takeCompleted(slots: readonly ServerSlot[]): (CompletedFlight & { server: string })[] {
    return slots.flatMap(({ sender }) =>
      sender.takeCompleted().map((completed) => ({ ...completed, server: sender.server.name }))
    )
  }

  #resolved({ flight, outcome, server }: CompletedFlight & { server: string }): ResolvedMessage {
    this.#learn(flight.to, outcome, server)
    return { ...flight.key, outcome }
  }

  #learn(to: string, outcome: CompletedFlight['outcome'], server: string): void {
    const domain = this.#paceKeyOf(to)
    if (outcome.is === 'accepted') {
      this.#pace.accepted(domain)
      this.#refusals.inARow = 0
      this.#hasAccepted = true
    } else if (outcome.is === 'refused') {
      this.#refusals = { inARow: this.#refusals.inARow + 1, words: outcome.reply, server }
    } else if (outcome.is === 'deferred' && asksForLess(outcome.code, outcome.reply)) {
      const isSlower = this.#pace.slowDown(domain, Date.now())
      const slower = { domain, count: this.#pace.perMinute(domain), words: outcome.reply }
      if (isSlower) this.#entries.push(refusal('log_slowed', slower))
    }
  }

  /** What an address shares its pace with. */
  #paceKeyOf(email: string): string {
    return this.#providers.paceKeyOf(domainOf(email))
  }

  /** Stores what was learned about recipients' domains, and what the history log tells. */
  async #tellNews(): Promise<void> {
    this.#toldAt = performance.now()
    const log = this.#entries
    this.#entries = []
    const news = { log, paces: this.#pace.takeChanges(), providers: this.#providers.takeFound() }
    if (log.length + news.paces.length + news.providers.length === 0) return
    await this.#options.client.run('deliveries.recordNews', { campaignId: this.#work.campaignId, ...news })
  }

  /** Returns how many messages the speed of the work allows now; a second's worth at most. */
  #allowance(): number {
    const { speed } = this.#work
    if (speed === 0) return Infinity
    const now = performance.now()
    const perMillisecond = speed / 3_600_000
    this.#tokens = Math.min(
      Math.max(1, perMillisecond * 1000),
      this.#tokens + (now - this.#filledAt) * perMillisecond
    )
    this.#filledAt = now
    return Math.floor(this.#tokens)
  }

  /** In milliseconds. */
  #pauseForSpeed(): number {
    const { speed } = this.#work
    if (speed === 0 || this.#hasNoMore || this.#allowance() >= 1) return 0
    return ((1 - this.#tokens) * 3_600_000) / speed
  }

  /** In milliseconds; what lands ends it earlier. */
  #pauseUntilNext(pending: number): number {
    if (pending > 0 && this.#hasNoMore) return maxIdle
    const forSpeed = this.#pauseForSpeed()
    const untilNext = forSpeed > 0 ? forSpeed : this.#nextPoll - performance.now()
    return Math.max(10, Math.min(maxIdle, untilNext))
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
