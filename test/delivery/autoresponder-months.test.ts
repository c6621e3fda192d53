import { afterEach, expect, test, vi } from 'vitest'
import type { AutoresponderInput } from '../../src-main/api/autoresponders/schema.ts'
import { makeToken } from '../../src-main/api/subscribers/tokens.ts'
import { kyselyOver } from '../../src-main/database/connection.ts'
import { AutoresponderDelivery } from '../../src-main/delivery/autoresponders/delivery.ts'
import { autorespondersToSend } from '../../src-main/delivery/autoresponders/queries.ts'
import { usualSchedule } from '../../src-main/delivery/smtp/retry-schedule.ts'
import { signingSecret } from '../../src-main/settings/queries.ts'
import { addPerson } from '../support/bulk-steps.ts'
import { clientOf, commandBench } from '../support/commands.ts'
import { roundsToRun } from '../support/long.ts'
import { messagesIn } from '../support/outbox.ts'
import { seededRandom } from '../support/random.ts'

// Months of autoresponders under a clock that is turned forward: subscriptions, triggers, openings, pauses and unsubscribing at random times, in zones
// with and without summer time. A plain model says who gets what and when; the outbox must hold exactly that.

const rounds = roundsToRun(25, 1000)
const firstSeed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const zones = [
  'UTC',
  'Europe/Vienna',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Pacific/Apia'
]
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

afterEach(() => void vi.useRealTimers())

interface Plan {
  trigger: 'subscription' | 'api' | 'autoresponder_send' | 'autoresponder_open' | 'autoresponder_nonopen'
  /** The place of the autoresponder that it follows. */
  follows: number | null
  delay: Pick<AutoresponderInput, 'delay'> & {
    delay_amount: number
    delay_unit: 'minutes' | 'hours' | 'days' | 'weeks' | 'months'
    delay_time: number
  }
}

interface Queued {
  autoresponder: number
  subscriber: number
  dueAt: number
  queuedAt: number
}

/** The wall clock of a zone at an instant, such as "2026-03-29 08:00". */
function wallClockOf(zone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' }
  })
  return (at) => format.format(at).replace(/[\u202f\u00a0]/g, ' ')
}

/** When a message is due, found by looking at the clock on the wall. */
function dueOf(
  { delay, delay_amount, delay_unit, delay_time }: Plan['delay'],
  now: number,
  zone: string
): number {
  if (delay === 'immediately') return now
  if (delay_unit === 'minutes') return now + delay_amount * minute
  if (delay_unit === 'hours') return now + delay_amount * hour
  const wall = wallClockOf(zone)
  const [year = 0, month = 0, date = 0] = wall(now).slice(0, 10).split('-').map(Number)
  const wanted = new Date(Date.UTC(year, month - 1, date))
  if (delay_unit === 'months') {
    wanted.setUTCDate(1)
    wanted.setUTCMonth(wanted.getUTCMonth() + delay_amount)
    const last = new Date(Date.UTC(wanted.getUTCFullYear(), wanted.getUTCMonth() + 1, 0)).getUTCDate()
    wanted.setUTCDate(Math.min(date, last))
  } else wanted.setUTCDate(date + delay_amount * (delay_unit === 'weeks' ? 7 : 1))
  const text = `${wanted.toISOString().slice(0, 10)} ${String(delay_time).padStart(2, '0')}:00`
  // The first moment at which the wall shows this or, where that hour is skipped, a later one.
  for (let at = wanted.getTime() - 15 * hour; ; at += 15 * minute) {
    if (wall(at) >= text) return Math.max(now, at)
  }
}

class Model {
  readonly #plans: readonly Plan[]
  readonly #zone: string
  #queue: Queued[] = []
  readonly paused = new Set<number>()
  readonly #gone = new Set<number>()
  readonly #opened = new Map<string, number>()
  /** "autoresponder subscriber" for each message, in the order of sending. */
  sent: string[] = []

  constructor(plans: readonly Plan[], zone: string) {
    this.#plans = plans
    this.#zone = zone
  }

  trigger(autoresponder: number, subscriber: number, now: number): void {
    const plan = this.#plans[autoresponder]
    if (!plan) return
    this.#queue.push({ autoresponder, subscriber, dueAt: dueOf(plan.delay, now, this.#zone), queuedAt: now })
  }

  subscribe(subscriber: number, now: number): void {
    for (const [index, { trigger }] of this.#plans.entries()) {
      if (trigger === 'subscription') this.trigger(index, subscriber, now)
    }
  }

  open(autoresponder: number, subscriber: number, now: number): void {
    const key = `${autoresponder} ${subscriber}`
    if (!this.#opened.has(key)) this.#follow(autoresponder, subscriber, ['autoresponder_open'], now)
    this.#opened.set(key, now)
  }

  /** Returns a time at which nothing is just due: the real thing takes some seconds for what the model does at once. */
  quietMoment(from: number): number {
    const isNear = ({ dueAt }: Queued, at: number): boolean => Math.abs(dueAt - at) < 3 * minute
    let at = from
    while (this.#queue.some((each) => isNear(each, at))) at += minute
    return at
  }

  isGone(subscriber: number): boolean {
    return this.#gone.has(subscriber)
  }

  unsubscribe(subscriber: number): void {
    this.#gone.add(subscriber)
  }

  /** Sends what is due, and what becomes due by that. */
  send(now: number): void {
    for (;;) {
      const isDue = ({ autoresponder, dueAt }: Queued): boolean =>
        dueAt <= now && !this.paused.has(autoresponder)
      const due = this.#queue.filter(isDue)
      if (due.length === 0) return
      this.#queue = this.#queue.filter((each) => !isDue(each))
      for (const each of due) this.#sendOne(each, now)
    }
  }

  #sendOne({ autoresponder, subscriber, queuedAt }: Queued, now: number): void {
    const { trigger, follows } = this.#plans[autoresponder] ?? {}
    const openedAt = this.#opened.get(`${follows ?? ''} ${subscriber}`) ?? 0
    const isHeldBack = trigger === 'autoresponder_nonopen' && openedAt >= queuedAt
    if (this.#gone.has(subscriber) || isHeldBack) return
    this.sent.push(`${autoresponder} ${subscriber}`)
    this.#follow(autoresponder, subscriber, ['autoresponder_send', 'autoresponder_nonopen'], now)
  }

  #follow(autoresponder: number, subscriber: number, triggers: Plan['trigger'][], now: number): void {
    for (const [index, { trigger, follows }] of this.#plans.entries()) {
      const isFollower = follows === autoresponder && triggers.includes(trigger)
      if (isFollower && !this.#gone.has(subscriber)) this.trigger(index, subscriber, now)
    }
  }
}

function randomPlans(random: () => number): Plan[] {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  return Array.from({ length: 2 + Math.floor(random() * 4) }, (_, index): Plan => {
    const followed = index > 0 && random() < 0.6 ? Math.floor(random() * index) : null
    const delay_unit = pick(['minutes', 'hours', 'days', 'weeks', 'months'] as const)
    return {
      trigger:
        followed === null
          ? pick(['subscription', 'api'] as const)
          : pick(['autoresponder_send', 'autoresponder_open', 'autoresponder_nonopen'] as const),
      follows: followed,
      delay: {
        delay: random() < 0.2 ? 'immediately' : 'with_delay',
        delay_amount: delay_unit === 'minutes' ? 2 + Math.floor(random() * 90) : Math.floor(random() * 4),
        delay_unit,
        delay_time: Math.floor(random() * 24)
      }
    }
  })
}

/** The real thing: commands on a database, and the delivery as its thread runs it. */
async function startReality(plans: readonly Plan[], zone: string) {
  const bench = await commandBench()
  await bench.run('accounts.ensureSystemOrganization', undefined)
  await bench.run('settings.ensureSigningSecret', undefined)
  bench.sqlite.prepare('UPDATE organizations SET time_zone_name = ?').run(zone)
  const db = kyselyOver(bench.sqlite)
  const scope = {
    organizationId: 1,
    timeZone: zone,
    mailingListId: await bench.run('mailingLists.create', { organizationId: 1, list: { name: 'Readers' } })
  }
  const ids: number[] = []
  for (const [index, { trigger, follows, delay }] of plans.entries()) {
    const autoresponder: AutoresponderInput = {
      ...{ name: `A${index}`, trigger, trigger_run_on_api: true, track_opens: true },
      ...{ content_subject: `A${index}`, content_format: 'text', content_text: 'x' },
      ...{ use_external_delivery_setting: false, from_email: 'a@example.com' },
      ...delay,
      ...(follows !== null && { trigger_autoresponder_to_open_id: ids[follows] ?? 0 })
    }
    ids.push((await bench.run('autoresponders.create', { ...scope, autoresponder })).id)
  }
  const idOf = (index: number): number => ids[index] ?? 0
  const sliceOf = (index: number): number | undefined =>
    bench.sqlite
      .prepare<[number], number>(
        'SELECT stat_slices.id FROM stat_slices JOIN stats ON stats.id = stat_id WHERE autoresponder_id = ?'
      )
      .pluck()
      .get(idOf(index))

  return {
    subscribe: (email: string) =>
      addPerson(bench, scope.mailingListId, email, { skip_autoresponders: false }, zone),
    trigger: (index: number, subscriberId: number) =>
      bench.run('autoresponderTriggers.run', {
        ...scope,
        name: { id: subscriberId },
        request: {
          autoresponder_ids: [idOf(index)],
          content_replacement_fields: {},
          ...{ skip_subscription_autoresponders: true, custom_fields: {} },
          ...{ create_missing_subscriber: false, reactivate_subscriber: false }
        }
      }),
    open: async (index: number, subscriberId: number) => {
      const sliceId = sliceOf(index)
      if (sliceId === undefined) return
      const token = makeToken(await signingSecret(db), 'open', { subscriberId, sliceId })
      await bench.run('tracking.open', { token, ip: '127.0.0.1', isMachine: false })
    },
    pause: (index: number, paused: boolean) =>
      bench.run('autoresponders.update', { ...scope, id: idOf(index), changes: { paused } }),
    unsubscribe: async (subscriberId: number) => {
      const token = makeToken(await signingSecret(db), 'unsubscribe', { subscriberId, sliceId: 0 })
      await bench.run('subscribers.unsubscribeByToken', { organizationId: null, token, ip: '' })
    },
    /** Runs all jobs that are due, until none is. */
    send: async () => {
      for (;;) {
        const due = (await autorespondersToSend(db)).filter(({ dueAt }) => dueAt <= Date.now())
        if (due.length === 0) return
        for (const { id } of due) {
          const job = {
            id,
            dataDirectory: bench.directory,
            client: clientOf(bench),
            signal: new AbortController().signal,
            data: {
              linkBase: 'http://127.0.0.1',
              secrets: {},
              signingKeys: [],
              dnsServers: [],
              gateKeys: {},
              database: null,
              schedule: usualSchedule
            }
          }
          expect(await new AutoresponderDelivery(job, db).run()).toEqual({ is: 'finished' })
        }
        // What follows at once is due in this second.
        vi.setSystemTime(Date.now() + 1000)
      }
    },
    sent: async (): Promise<string[]> => {
      const all = await Promise.all(
        ids.map(async (id, index) => {
          const messages = await messagesIn(`${bench.directory}/outbox/autoresponder-${id}.mbox`)
          return messages.map(
            ({ headers }) => `${index} ${/^s(\d+)@/.exec(headers.get('to') ?? '')?.[1] ?? ''}`
          )
        })
      )
      return all.flat()
    }
  }
}

async function runRound(seed: number): Promise<number> {
  const random = seededRandom(seed)
  const zone = zones[Math.floor(random() * zones.length)] ?? 'UTC'
  const plans = randomPlans(random)
  let now = Date.parse('2026-01-01T00:00:00Z') + Math.floor((random() * 300 * day) / minute) * minute
  vi.setSystemTime(now)
  const reality = await startReality(plans, zone)
  const model = new Model(plans, zone)
  const people: number[] = []
  const any = (count: number): number => Math.floor(random() * count)
  for (let step = 0; step < 40; step++) {
    now = model.quietMoment(now + (1 + any(random() < 0.5 ? 120 : 20_000)) * minute)
    vi.setSystemTime(now)
    const [autoresponder, place] = [any(plans.length), any(Math.max(1, people.length))]
    const subscriber = people[place]
    const what = random()
    if (subscriber === undefined || what < 0.2) {
      people.push(await reality.subscribe(`s${people.length}@example.com`))
      model.subscribe(people.length - 1, now)
    } else if (what < 0.4 && !model.isGone(place)) {
      await reality.trigger(autoresponder, subscriber)
      model.trigger(autoresponder, place, now)
    } else if (what < 0.6 && model.sent.includes(`${autoresponder} ${place}`)) {
      await reality.open(autoresponder, subscriber)
      model.open(autoresponder, place, now)
    } else if (what < 0.75) {
      const paused = !model.paused.has(autoresponder)
      await reality.pause(autoresponder, paused)
      if (paused) model.paused.add(autoresponder)
      else model.paused.delete(autoresponder)
    } else if (what < 0.8) {
      await reality.unsubscribe(subscriber)
      model.unsubscribe(place)
    }
    vi.setSystemTime(now + 30_000)
    await reality.send()
    model.send(now + 59_000)
    expect((await reality.sent()).toSorted(), `after step ${step} of seed ${seed} in ${zone}`).toEqual(
      model.sent.toSorted()
    )
  }
  return model.sent.length
}

test(`autoresponders send what a plain model says, in ${rounds} runs of months (SEED=${firstSeed})`, async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  let sent = 0

  for (let round = 0; round < rounds; round++) sent += await runRound(firstSeed + round)

  expect(sent).toBeGreaterThan(rounds)
}, 1_800_000)
