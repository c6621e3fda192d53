import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Event } from '../../src-main/api/events/schema.ts'
import type { Webhook } from '../../src-main/api/webhooks/schema.ts'
import { temporaryDirectory } from '../support/application.ts'
import { expectSuccess, makeList } from '../support/builders.ts'
import { roundsToRun } from '../support/long.ts'
import { serve } from '../support/process.ts'
import { seededRandom } from '../support/random.ts'
import { until } from '../support/smtp-route.ts'
import { webhookReceiver } from '../support/webhook-receiver.ts'

// Subscribers are created and changed, and events are sent to two webhooks, while the application is killed again and again and the
// receiver refuses some messages. Each change that was answered must arrive.

const kills = roundsToRun(4, 1000)
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

test(
  `no event is lost, and each subscriber's come in order, in ${kills} kills (SEED=${seed})`,
  { timeout: 7_200_000 },
  async () => {
    const random = seededRandom(seed)
    const directory = await temporaryDirectory()
    const [single, batched] = [await webhookReceiver(), await webhookReceiver()]
    for (const receiver of [single, batched]) receiver.answer = () => (random() < 0.02 ? 503 : 200)
    let application = await serve(directory)
    const list = await makeList(application.api)
    const webhooks = [
      await makeWebhook({ name: 'Single', url: single.url }),
      await makeWebhook({ name: 'Batched', url: batched.url, batch_size: 7 })
    ]
    /** The changes that were answered, as "subscriber email". */
    const answered = new Set<string>()
    let made = 0

    for (let kill = 0; kill < kills; kill++) {
      const ending = pause(50 + random() * 250).then(() => application.end('SIGKILL'))
      await Promise.allSettled([work(), work(), work(), ending])
      application = await serve(directory)
      if (kill % 10 === 9) for (const { id } of webhooks) await tryAgain(id)
    }
    for (const receiver of [single, batched]) receiver.answer = () => 200
    for (const receiver of [single, batched]) {
      await until(async () => {
        for (const { id } of webhooks) await tryAgain(id)
        return missingIn(receiver.accepted) === 0
      }, 120_000)
    }

    for (const { accepted, requests } of [single, batched]) {
      expect(missingIn(accepted)).toBe(0)
      expect(outOfOrder(accepted)).toEqual([])
      expect(sharedIds(requests)).toEqual([])
    }
    expect(await application.end('SIGTERM')).toBe(0)

    async function makeWebhook(settings: object): Promise<Webhook> {
      const webhook = { ...settings, allows_private_addresses: true }
      return expectSuccess(await application.api.post<Webhook>('/webhooks', { webhook }))
    }

    async function tryAgain(id: number): Promise<void> {
      expectSuccess(await application.api.put(`/webhooks/${id}`, { webhook: {} }))
      await pause(200)
    }

    /** Creates subscribers and changes each twice until the application is killed. */
    async function work(): Promise<void> {
      const { api } = application
      const path = `/mailing_lists/${list.id}/subscribers`
      for (;;) {
        const number = ++made
        const created = await api.post<{ id: number }>(path, {
          subscriber: { email: `p${number}-0@example.com`, status: 'active' }
        })
        answered.add(`p${number}-0@example.com`)
        for (const change of [1, 2]) {
          const email = `p${number}-${change}@example.com`
          await api.put(`${path}/${created.data.id}`, { subscriber: { email } })
          answered.add(email)
        }
      }
    }

    function missingIn(accepted: readonly Event[]): number {
      const emails = new Set(accepted.map(({ email }) => email))
      return [...answered].filter((email) => !emails.has(email)).length
    }
  }
)

/** Returns the subscribers whose events came first in another order than they happened. */
function outOfOrder(accepted: readonly Event[]): number[] {
  const last = new Map<number, number>()
  const seen = new Set<number>()
  const found: number[] = []
  for (const { event_id, studio_subscriber_id: subscriber } of accepted) {
    if (subscriber === null || seen.has(event_id)) continue
    seen.add(event_id)
    if (event_id < (last.get(subscriber) ?? 0)) found.push(subscriber)
    last.set(subscriber, event_id)
  }
  return found
}

/** Returns the ids that were used for different messages. */
function sharedIds(requests: readonly { id: string; body: string }[]): string[] {
  const bodies = new Map<string, string>()
  return requests.flatMap(({ id, body }) => {
    const known = bodies.get(id) ?? body
    bodies.set(id, known)
    return known === body ? [] : [id]
  })
}
