import SQLite from 'better-sqlite3'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { UrlDomain } from '../../src-main/api/delivery-settings/schema.ts'
import { temporaryDirectory } from '../support/application.ts'
import {
  allSubscribers,
  expectSuccess,
  makeCampaign,
  makeList,
  makeSubscriber,
  makeWebForm
} from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { type Fault, startFaultProxy } from '../support/fault-proxy.ts'
import { addGate, fetchNow, type ServedGate, serveGate } from '../support/gate.ts'
import { roundsToRun } from '../support/long.ts'
import { outboxOf } from '../support/outbox.ts'
import { serve, type ServedApplication } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'
import { until } from '../support/smtp-route.ts'

// Visitors follow links while the gate and the application are killed, the connection between them is cut, and the gate is put back to an older copy.

const rounds = Number(process.env['ROUNDS'] ?? roundsToRun(8, 500))
const people = 120
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const browser = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/141.0 Safari/537.36' }
const faults: Fault[] = [
  'none',
  'none',
  'none',
  'slow',
  'lost',
  'unanswered',
  'truncated',
  'doubled',
  'broken'
]
const html = `<a href="https://example.com/a">A</a> <a href="https://example.com/b">B</a> <a href="%%unsubscribe_link%%">U</a>`

type Kind = 'open' | 'click' | 'unsub'

/** What the visitors of one person did: surely, and perhaps. */
class Expected {
  readonly sure = new Map<string, number>()
  readonly perhaps = new Map<string, number>()

  add(kind: Kind, person: number, isSure: boolean): void {
    const counts = isSure ? this.sure : this.perhaps
    counts.set(`${kind} ${person}`, (counts.get(`${kind} ${person}`) ?? 0) + 1)
  }
}

interface Sent {
  /** The paths of the links in the message to each person. */
  links: Record<Kind, string>[]
  /** The path of a sign-up page. */
  signUp: string
}

/** Sends a campaign through the gate, and makes a form with a page there. */
async function sendCampaign({ api, ready }: ServedApplication, urlDomainId: number): Promise<Sent> {
  const domains = expectSuccess(await api.get<UrlDomain[]>('/url_domains'))
  const { domain } = domains.find(({ id }) => id === urlDomainId) ?? {}
  const list = await makeList(api, { d_url_domain: domain })
  for (let person = 0; person < people; person++) await makeSubscriber(api, list.id, `p${person}@example.com`)
  const { id } = await makeCampaign(api, list.id, {
    contents: [{ subject: 'Hello', format: 'html', html }],
    dispatch_attributes: {
      ...{ from_email: 'sender@example.com', url_domain_id: urlDomainId },
      begins_at: Math.floor(Date.now() / 1000)
    }
  })
  await api.sent(id)
  const links = (await outboxOf(ready.data_dir, id)).map(({ body }) => {
    const paths = [...body.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url = '']) => new URL(url).pathname)
    return { click: paths[0] ?? '', unsub: paths[2] ?? '', open: paths[3] ?? '' }
  })
  const form = await makeWebForm(api, list.id, { has_page: true, requires_confirmation: false })
  return { links, signUp: new URL(form.page_url ?? '').pathname }
}

/** Signs up from an address of its own, since each may do so only now and then. */
async function postSignUp(address: string, path: string, number: number): Promise<boolean> {
  try {
    const ip = `198.51.${Math.floor(number / 250) % 250}.${number % 250}`
    const response = await fetch(address + path, {
      method: 'POST',
      headers: { ...browser, 'X-Forwarded-For': ip },
      body: new URLSearchParams({ email: `signup${number}@example.com` })
    })
    await response.arrayBuffer()
    return response.status === 200
  } catch {
    return false
  }
}

async function follow(address: string, path: string, kind: Kind): Promise<boolean> {
  try {
    const response = await fetch(address + path, {
      method: kind === 'unsub' ? 'POST' : 'GET',
      redirect: 'manual',
      headers: browser,
      ...(kind === 'unsub' && { body: 'List-Unsubscribe=One-Click' })
    })
    await response.arrayBuffer()
    return response.status === 200 || response.status === 302
  } catch {
    // The gate was killed: the visitor does not know whether it took the click.
    return false
  }
}

async function untilFetched(api: Client, id: number): Promise<void> {
  const since = Date.now()
  await fetchNow(api, id)
  await until(async () => {
    const domains = expectSuccess(await api.get<UrlDomain[]>('/url_domains'))
    const { fetched_at } = domains.find((each) => each.id === id) ?? {}
    return fetched_at != null && Date.parse(fetched_at) >= Math.floor(since / 1000) * 1000
  }, 60_000)
}

test(
  `each click that a gate took counts once, in ${rounds} rounds of kills, cuts and old copies (SEED=${seed})`,
  { timeout: 7_200_000 },
  async () => {
    const random = seededRandom(seed)
    const [ofGate, copy, ofApplication] = [
      await temporaryDirectory(),
      join(await temporaryDirectory(), 'copy'),
      await temporaryDirectory()
    ]
    let gate: ServedGate = await serveGate(ofGate)
    const port = Number(new URL(gate.address).port)
    const proxy = await startFaultProxy(gate.address)
    let application = await serve(ofApplication)
    const domainId = await addGate(application.api, { address: proxy.baseUrl, key: gate.key })
    const { links, signUp } = await sendCampaign(application, domainId)
    await untilFetched(application.api, domainId)
    /** Those that the gate took. */
    const signedUp = new Set<string>()
    let signUps = 0
    const expected = new Expected()
    proxy.faultOf = () => faults[Math.floor(random() * faults.length)] ?? 'none'
    let copiedIn: number | null = null

    for (let round = 0; round < rounds; round++) {
      const visits = Array.from({ length: 10 }, async () => {
        if (random() < 0.15) {
          const number = ++signUps
          if (await postSignUp(gate.address, signUp, number)) signedUp.add(`signup${number}@example.com`)
          return
        }
        const person = Math.floor(random() * people)
        const kind = (['open', 'click', 'click', 'unsub'] as const)[Math.floor(random() * 4)] ?? 'open'
        await pause(random() * 150)
        expected.add(kind, person, await follow(gate.address, links[person]?.[kind] ?? '', kind))
      })
      const fate = random()
      if (fate < 0.4) {
        await pause(random() * 150)
        await gate.end('SIGKILL')
        await Promise.all(visits)
        gate = await serveGate(ofGate, port)
      } else if (fate < 0.7) {
        await fetchNow(application.api, domainId)
        await pause(random() * 100)
        await application.end('SIGKILL')
        await Promise.all(visits)
        application = await serve(ofApplication)
      } else if (fate < 0.8) {
        await Promise.all([gate.end('SIGKILL'), application.end('SIGKILL'), ...visits])
        gate = await serveGate(ofGate, port)
        application = await serve(ofApplication)
      } else {
        await Promise.all(visits)
        await fetchNow(application.api, domainId)
      }
      if (round % 20 === 3) {
        await gate.end('SIGTERM')
        await rm(copy, { recursive: true, force: true })
        await cp(ofGate, copy, { recursive: true })
        copiedIn = round
        gate = await serveGate(ofGate, port)
      } else if (copiedIn !== null && round % 20 === 6) {
        // What was not fetched before a gate is put back is lost with it; everything else must count once.
        const faultOf = proxy.faultOf
        proxy.faultOf = () => 'none'
        await untilFetched(application.api, domainId)
        await gate.end('SIGKILL')
        await rm(ofGate, { recursive: true })
        await cp(copy, ofGate, { recursive: true })
        gate = await serveGate(ofGate, port)
        proxy.faultOf = faultOf
      }
    }
    proxy.faultOf = () => 'none'
    await untilFetched(application.api, domainId)
    const subscribers = await allSubscribers(application.api, 1)
    const emails = subscribers.map(({ email }) => email)
    const missing = [...signedUp].filter((email) => !emails.includes(email))
    expect(missing).toEqual([])
    expect(new Set(emails).size).toBe(emails.length)
    const ids = new Map(subscribers.map(({ id, email }) => [id, Number(/^p(\d+)/.exec(email)?.[1])]))
    expect(await application.end('SIGTERM')).toBe(0)
    expect(await gate.end('SIGTERM')).toBe(0)

    const database = new SQLite(join(ofApplication, 'listwright.db'), { readonly: true })
    const counted = new Map(
      database
        .prepare<[], { type: Kind; subscriber_id: number; events: number }>(
          `SELECT type, subscriber_id, count(*) AS events FROM stat_events
           WHERE NOT (type = 'open' AND EXISTS (SELECT 1 FROM stat_events AS click WHERE click.type = 'click'
             AND click.subscriber_id = stat_events.subscriber_id AND click.occurred_at = stat_events.occurred_at))
           GROUP BY type, subscriber_id`
        )
        .all()
        .map(({ type, subscriber_id, events }) => [`${type} ${ids.get(subscriber_id) ?? -1}`, events])
    )
    database.close()
    const wrong: string[] = []
    for (const name of new Set([...counted.keys(), ...expected.sure.keys(), ...expected.perhaps.keys()])) {
      const [found, sure] = [counted.get(name) ?? 0, expected.sure.get(name) ?? 0]
      const most = sure + (expected.perhaps.get(name) ?? 0)
      if (found < sure || found > most) wrong.push(`${name}: ${found}, not ${sure} to ${most}`)
    }
    expect(wrong).toEqual([])
  }
)
