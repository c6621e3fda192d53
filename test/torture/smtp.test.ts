import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { JournalCounts, JournaledMessage, JournalStateName } from '../../src-main/api/journal/schema.ts'
import { temporaryDirectory } from '../support/application.ts'
import { expectSuccess, makeAutoresponder, makeList, makeWebForm } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { roundsToRun } from '../support/long.ts'
import { type MailServer, startMailServer, type Treatment } from '../support/mail-server.ts'
import { serve, type ServedApplication } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'
import { listWith, routeTo, sendNow, until, untilState } from '../support/smtp-route.ts'
import { type Random, someOf } from './values.ts'

// Campaigns, the autoresponders of new subscribers and confirmation messages go to a mail server that refuses, delays and hangs up, while the
// application and the server are killed again and again, and users pause and resume. What the server has is the truth: each recipient got the
// message once, except those whose delivery is shown as uncertain, and those who were refused for good.

const rounds = roundsToRun(20, 1000)
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const program = [process.execPath, 'test/torture/application-with-short-pauses.ts']
/** Where links of messages would lead. */
const urlDomain = 'links.example.com'
/** After so many attempts a recipient is treated well, so that a round ends. */
const lastBadAttempt = 3

const treatments: readonly Treatment[] = [
  { refuse: 421, words: '4.7.0 Too many messages', at: 'rcpt' },
  { refuse: 450, words: '4.2.0 Greylisted', at: 'rcpt' },
  { refuse: 451, words: '4.3.0 Local error', at: 'data' },
  { refuse: 454, words: '4.7.0 Not now', at: 'rcpt' },
  { refuse: 552, words: '5.2.2 Mailbox full', at: 'data' },
  { refuse: 550, words: '5.1.1 Unknown user', at: 'rcpt' },
  { cut: 'before', keeps: false },
  { cut: 'inside', keeps: false },
  { cut: 'after', keeps: true },
  { cut: 'after', keeps: false },
  { delay: 40 },
  { delay: 200 }
]

class Bench {
  readonly random: Random
  readonly directory: string
  application: ServedApplication
  server: MailServer
  #share = 0

  constructor(random: Random, directory: string, application: ServedApplication, server: MailServer) {
    this.random = random
    this.directory = directory
    this.application = application
    this.server = server
  }

  get api(): Client {
    return this.application.api
  }

  /** @param share of messages that are treated badly, from 0 to 1 */
  startRound(share: number): void {
    this.#share = share
    this.server.received.length = 0
    this.server.asked.clear()
  }

  treat(attempt: number): Treatment {
    const isBad = attempt <= lastBadAttempt && this.random() < this.#share
    return isBad ? someOf(treatments, this.random) : { accept: true }
  }

  async disturb(campaignId: number): Promise<void> {
    const kind = someOf(['kill', 'kill', 'quit', 'server', 'pause', 'none'] as const, this.random)
    if (kind === 'kill' || kind === 'quit') {
      await this.application.end(kind === 'kill' ? 'SIGKILL' : 'SIGTERM')
      this.application = await serve(this.directory, { program })
    } else if (kind === 'server') {
      await this.restartServer()
    } else if (kind === 'pause') {
      await this.api.post(`/campaigns/${campaignId}/pause`)
      await pause(this.random() * 100)
      await this.api.post(`/campaigns/${campaignId}/resume`)
    }
  }

  async restartServer(): Promise<void> {
    const { port, received, asked } = this.server
    await this.server.close()
    await pause(this.random() * 200)
    this.server = await startMailServer({
      port,
      log: { received, asked },
      treat: (_to, attempt) => this.treat(attempt)
    })
  }
}

async function startBench(random: Random): Promise<Bench> {
  const directory = await temporaryDirectory()
  const application = await serve(directory, { program })
  // The server asks the bench, which does not exist yet.
  const bench: { is?: Bench } = {}
  const server = await startMailServer({
    treat: (_to, attempt) => bench.is?.treat(attempt) ?? { accept: true }
  })
  bench.is = new Bench(random, directory, application, server)
  await routeTo(application.api, server.port, { connections: 6, messages_per_connection: 15 })
  expectSuccess(await application.api.post('/url_domains', { url_domain: { domain: urlDomain } }))
  return bench.is
}

function addresses(round: number, kind: string, count: number, random: Random): string[] {
  // Each round has domains of its own: how slowly one takes messages is remembered.
  const domains = ['a', 'b', 'c'].map((name) => `${name}${round}.example`)
  return Array.from({ length: count }, (_, index) => `r${round}${kind}${index}@${someOf(domains, random)}`)
}

async function runRound(bench: Bench, round: number): Promise<void> {
  const { random } = bench
  const emails = addresses(round, 'p', 5 + Math.floor(random() * 150), random)
  bench.startRound(random() * 0.4)
  const list = await listWith(bench.api, emails)
  const automatic = await startAutomaticMessages(bench)
  const { id } = await sendNow(bench.api, list.id)
  for (let disturbance = 0; disturbance < 1 + random() * 3; disturbance++) {
    await automatic.subscribe(addresses(round, `w${disturbance}n`, Math.floor(random() * 8), random))
    await automatic.ask(addresses(round, `c${disturbance}n`, Math.floor(random() * 8), random))
    await pause(random() * 300)
    await bench.disturb(id)
  }
  await untilOver(bench, id)
  await compare(bench, { kind: 'campaigns', id }, emails)
  for (const { subject, asked } of automatic.all) {
    await untilSettled(bench, subject, asked.length)
    await compare(bench, subject, asked)
  }
}

interface Subject {
  kind: 'campaigns' | 'autoresponders' | 'web_forms'
  id: number
}

/** A list with an autoresponder for new subscribers, and a form that asks for confirmations. */
async function startAutomaticMessages(bench: Bench) {
  const list = await makeList(bench.api, { d_from_email: 'news@example.com', d_url_domain: urlDomain })
  const welcome = await makeAutoresponder(bench.api, list.id, 'Welcome', {
    ...{ trigger: 'subscription', trigger_run_on_api: true },
    ...{ content_subject: 'Welcome', content_format: 'text', content_text: 'Hello' }
  })
  const form = await makeWebForm(bench.api, list.id)
  const welcomed: string[] = []
  const asked: string[] = []
  const add = async (email: string, more: object): Promise<void> => {
    const subscriber = { email, status: 'active', ...more }
    expectSuccess(await bench.api.post(`/mailing_lists/${list.id}/subscribers`, { subscriber }))
  }
  return {
    subscribe: async (emails: readonly string[]) => {
      for (const email of emails) {
        await add(email, {})
        welcomed.push(email)
      }
    },
    ask: async (emails: readonly string[]) => {
      for (const email of emails) {
        await add(email, { confirmation_form_id: form.id })
        asked.push(email)
      }
    },
    all: [
      { subject: { kind: 'autoresponders', id: welcome.id } as const, asked: welcomed },
      { subject: { kind: 'web_forms', id: form.id } as const, asked }
    ]
  }
}

/** Waits until all automatic messages have an outcome. */
function untilSettled({ api }: Bench, subject: Subject, count: number): Promise<void> {
  return until(async () => {
    const { accepted, failed, uncertain } = await journalAt(api, subject)
    return accepted + failed + uncertain === count
  }, 60_000)
}

async function journalAt(api: Client, { kind, id }: Subject): Promise<JournalCounts> {
  return expectSuccess(await api.get<JournalCounts>(`/${kind}/${id}/journal`))
}

/** Waits until a campaign is finished; one that a fault has paused is resumed. */
async function untilOver(bench: Bench, id: number): Promise<void> {
  const resume = setInterval(() => void bench.api.post(`/campaigns/${id}/resume`).catch(() => undefined), 500)
  try {
    await untilState(bench.api, id, 'finished', 60_000)
  } finally {
    clearInterval(resume)
  }
}

async function compare({ api, server }: Bench, subject: Subject, emails: readonly string[]): Promise<void> {
  const states = new Map<string, JournalStateName>()
  for (const state of ['accepted', 'failed', 'uncertain', 'waiting', 'retry', 'in_flight'] as const) {
    for (const { email } of await allIn(api, subject, state)) states.set(email ?? '', state)
  }
  const copies = Map.groupBy(server.received, ({ to }) => to)
  const got = (email: string): number => copies.get(email)?.length ?? 0

  const wrong = emails.filter((email) => {
    const state = states.get(email)
    if (state === 'accepted') return got(email) !== 1
    if (state === 'uncertain') return got(email) > 1
    return state !== 'failed' || got(email) !== 0
  })
  expect(wrong.map((email) => `${email}: ${states.get(email)}, ${got(email)} copies`)).toEqual([])
  const counts = await journalAt(api, subject)
  expect(counts.accepted + counts.failed + counts.uncertain).toBe(emails.length)
  expect(counts).toMatchObject({ waiting: 0, in_flight: 0, retry: 0 })
}

async function allIn(
  api: Client,
  { kind, id }: Subject,
  state: JournalStateName
): Promise<JournaledMessage[]> {
  const path = `/${kind}/${id}/journal/messages?state=${state}&per_page=500`
  return expectSuccess(await api.get<{ messages: JournaledMessage[] }>(path)).messages
}

test(
  `each recipient gets a message once in ${rounds} rounds of faults (SEED=${seed})`,
  { timeout: 7_200_000 },
  async () => {
    const bench = await startBench(seededRandom(seed))
    try {
      for (let round = 0; round < rounds; round++) await runRound(bench, round)
    } finally {
      await bench.server.close()
    }
    expect(await bench.application.end('SIGTERM')).toBe(0)
  }
)
