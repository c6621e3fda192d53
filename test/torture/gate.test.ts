import SQLite from 'better-sqlite3'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { UrlDomain } from '../../src-main/api/delivery-settings/schema.ts'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import { temporaryDirectory } from '../support/application.ts'
import { expectSuccess, makeCampaign, makeList, makeSubscriber } from '../support/builders.ts'
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

/** Sends a campaign through the gate. @returns the paths of the links in the message to each person */
async function sendCampaign(
  { api, ready }: ServedApplication,
  urlDomainId: number
): Promise<Record<Kind, string>[]> {
  const list = await makeList(api)
  for (let person = 0; person < people; person++) await makeSubscriber(api, list.id, `p${person}@example.com`)
  const { id } = await makeCampaign(api, list.id, {
    contents: [{ subject: 'Hello', format: 'html', html }],
    dispatch_attributes: {
      ...{ from_email: 'sender@example.com', url_domain_id: urlDomainId },
      begins_at: Math.floor(Date.now() / 1000)
    }
  })
  await api.sent(id)
  return (await outboxOf(ready.data_dir, id)).map(({ body }) => {
    const paths = [...body.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url = '']) => new URL(url).pathname)
    return { click: paths[0] ?? '', unsub: paths[2] ?? '', open: paths[3] ?? '' }
  })
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
    const links = await sendCampaign(application, domainId)
    const expected = new Expected()
    proxy.faultOf = () => faults[Math.floor(random() * faults.length)] ?? 'none'
    let copiedIn: number | null = null

    for (let round = 0; round < rounds; round++) {
      const visits = Array.from({ length: 10 }, async () => {
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
    const subscribers = expectSuccess(
      await application.api.get<Subscriber[]>('/mailing_lists/1/subscribers?per_page=500')
    )
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
