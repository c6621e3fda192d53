import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Webhook as Verifier } from 'standardwebhooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import { firstDueAt } from '../../src-main/api/webhooks/queries.ts'
import { kyselyOver, openForReading } from '../../src-main/database/connection.ts'
import type { Event } from '../../src-main/api/events/schema.ts'
import type {
  Webhook,
  WebhookMessage,
  WebhookSecret,
  WebhookTest
} from '../../src-main/api/webhooks/schema.ts'
import { clientOfUser } from '../support/accounts.ts'
import { sharedApplication, startApplication, temporaryDirectory } from '../support/application.ts'
import { expectSuccess, importText, makeList, makeSubscriber } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { until } from '../support/smtp-route.ts'
import { webhookReceiver } from '../support/webhook-receiver.ts'

const started = sharedApplication()
let made = 0

async function makeWebhook(
  url: string,
  settings: Record<string, unknown> = {},
  api: Client = started.api
): Promise<Webhook & { secret: string }> {
  const webhook = { name: `Webhook ${++made}`, url, allows_private_addresses: true, ...settings }
  return expectSuccess(await api.post<Webhook & { secret: string }>('/webhooks', { webhook }))
}

async function webhookOf({ id }: { id: number }, api: Client = started.api): Promise<Webhook> {
  return expectSuccess(await api.get<Webhook>(`/webhooks/${id}`))
}

async function messagesOf({ id }: { id: number }, query = ''): Promise<WebhookMessage[]> {
  const path = `/webhooks/${id}/messages${query}`
  return expectSuccess(await started.api.get<{ messages: WebhookMessage[] }>(path)).messages
}

/** Has the messages that wait for their next attempt sent at once. */
async function tryAgain({ id }: { id: number }): Promise<void> {
  expectSuccess(await started.api.put(`/webhooks/${id}`, { webhook: {} }))
}

function emailsOf(events: readonly Event[]): string[] {
  return events.map(({ email }) => email)
}

describe('a webhook', () => {
  it('gets each event, signed so that the library of Standard Webhooks accepts it', async () => {
    const receiver = await webhookReceiver()
    const { secret } = await makeWebhook(receiver.url)
    const list = await makeList(started.api)

    await makeSubscriber(started.api, list.id, 'anna@example.com')
    await until(() => receiver.accepted.length === 1)

    const [{ body, headers } = { body: '', headers: {} }] = receiver.requests
    expect(headers['content-type']).toBe('application/json')
    expect(new Verifier(secret).verify(body, headers as Record<string, string>)).toMatchObject({
      event_type: 'studio_subscriber_created',
      email: 'anna@example.com',
      json_after: { status: 'active' }
    })
    expect(() => new Verifier(secret).verify(`${body} `, headers as Record<string, string>)).toThrow()
  })

  it('gets only the types that it wants, and nothing from before it was made', async () => {
    const receiver = await webhookReceiver()
    const list = await makeList(started.api)
    const { id } = await makeSubscriber(started.api, list.id, 'before@example.com')
    await makeWebhook(receiver.url, { event_types: ['studio_subscriber_updated'] })

    await makeSubscriber(started.api, list.id, 'other@example.com')
    await started.api.put(`/mailing_lists/${list.id}/subscribers/${id}`, {
      subscriber: { status: 'bounced' }
    })
    await until(() => receiver.accepted.length > 0)

    expect(receiver.accepted.map(({ event_type }) => event_type)).toEqual(['studio_subscriber_updated'])
  })

  it('gets events in batches if that is wanted', async () => {
    const receiver = await webhookReceiver()
    await makeWebhook(receiver.url, { batch_size: 100 })
    const emails = Array.from({ length: 250 }, (_, number) => `b${number}@example.com`)

    await importText(started.api, (await makeList(started.api)).id, `email\n${emails.join('\n')}\n`)
    await until(() => receiver.accepted.length >= 250)

    expect(emailsOf(receiver.accepted)).toEqual(emails)
    expect(receiver.requests.every(({ body }) => body.startsWith('['))).toBe(true)
    expect(receiver.requests.length).toBeLessThan(50)
  })

  it('gets a message again that it refused, with the same id, and the later ones of that subscriber after it', async () => {
    const receiver = await webhookReceiver()
    const webhook = await makeWebhook(receiver.url)
    const list = await makeList(started.api)
    receiver.answer = ({ body }) => (body.includes('refused@example.com') ? 422 : 200)

    const { id } = await makeSubscriber(started.api, list.id, 'refused@example.com')
    await started.api.put(`/mailing_lists/${list.id}/subscribers/${id}`, {
      subscriber: { status: 'bounced' }
    })
    await makeSubscriber(started.api, list.id, 'other@example.com')
    await until(() => receiver.accepted.length === 1)
    expect(emailsOf(receiver.accepted)).toEqual(['other@example.com'])
    receiver.answer = () => 200
    await tryAgain(webhook)
    await until(() => receiver.accepted.length === 3)

    expect(receiver.accepted.map(({ event_type }) => event_type).slice(1)).toEqual([
      'studio_subscriber_created',
      'studio_subscriber_updated'
    ])
    const ids = receiver.requests.filter(({ body }) => body.includes('refused')).map((request) => request.id)
    expect(new Set(ids).size).toBe(2)
    await until(async () => (await messagesOf(webhook, '?state=delivered')).length === 3)
  })

  it('is left alone for a while when it does not answer, and then gets everything', async () => {
    const receiver = await webhookReceiver()
    const port = Number(new URL(receiver.url).port)
    await receiver.close()
    const webhook = await makeWebhook(receiver.url)
    const list = await makeList(started.api)
    const emails = Array.from({ length: 50 }, (_, number) => `w${number}@example.com`)

    await importText(started.api, list.id, `email\n${emails.join('\n')}\n`)
    await until(async () => (await webhookOf(webhook)).failing_since !== null)
    const held = await webhookOf(webhook)
    const back = await webhookReceiver(port)
    await tryAgain(webhook)
    await until(() => back.accepted.length >= 50)

    expect(held.error_message).toContain(`${receiver.url} does not answer: “`)
    expect(held.next_attempt_at).not.toBeNull()
    expect(new Set(emailsOf(back.accepted))).toEqual(new Set(emails))
    expect((await webhookOf(webhook)).error_message).toBeNull()
  })

  it('is disabled when it answers that it is gone', async () => {
    const receiver = await webhookReceiver()
    receiver.answer = () => 410
    const webhook = await makeWebhook(receiver.url)

    await makeSubscriber(started.api, (await makeList(started.api)).id, 'a@example.com')
    await until(async () => !(await webhookOf(webhook)).is_enabled)

    expect(await webhookOf(webhook)).toMatchObject({
      waiting: 1,
      error_message: expect.stringContaining('410') as string
    })
    receiver.answer = () => 200
    await started.api.put(`/webhooks/${webhook.id}`, { webhook: { is_enabled: true } })
    await until(() => receiver.accepted.length === 1)
  })

  it('goes on after a restart where it was', async () => {
    const receiver = await webhookReceiver()
    receiver.answer = () => 503
    const directory = await temporaryDirectory()
    const first = await startApplication(directory)
    const webhook = await makeWebhook(receiver.url, {}, first.api)
    await makeSubscriber(first.api, (await makeList(first.api)).id, 'a@example.com')
    await until(async () => (await webhookOf(webhook, first.api)).failing_since !== null)
    await first.app.close()

    receiver.answer = () => 200
    const second = await startApplication(directory)
    await makeSubscriber(second.api, (await makeList(second.api)).id, 'b@example.com')
    await until(() => receiver.accepted.length === 2, 20_000)

    expect(emailsOf(receiver.accepted).sort()).toEqual(['a@example.com', 'b@example.com'])
  })
})

describe('a webhook that is not served', () => {
  it('rests until its first message is due, whatever waits behind that', async () => {
    const receiver = await webhookReceiver()
    receiver.answer = () => 422
    const webhook = await makeWebhook(receiver.url)
    const list = await makeList(started.api)
    const { id } = await makeSubscriber(started.api, list.id, 'a@example.com')
    await started.api.put(`/mailing_lists/${list.id}/subscribers/${id}`, {
      subscriber: { status: 'bounced' }
    })
    await until(async () => (await messagesOf(webhook)).some(({ attempts }) => attempts > 0))
    await until(async () => (await messagesOf(webhook)).length === 2)

    const database = kyselyOver(openForReading(join(started.dataDirectory, 'listwright.db')))
    const due = await firstDueAt(database, webhook.id)
    await database.destroy()

    expect(due).toBeGreaterThan(Date.now())
    expect(await webhookOf(webhook)).toMatchObject({ next_attempt_at: null, waiting: 2 })
  })

  it('gets the events of a waiting batch as they were chosen, when it wants others by then', async () => {
    const receiver = await webhookReceiver()
    receiver.answer = () => 503
    const list = await makeList(started.api)
    const webhook = await makeWebhook(receiver.url, {
      batch_size: 10,
      event_types: ['studio_subscriber_updated']
    })
    const { id } = await makeSubscriber(started.api, list.id, 'x0@example.com')
    const change = (email: string) =>
      started.api.put(`/mailing_lists/${list.id}/subscribers/${id}`, { subscriber: { email } })
    await change('x1@example.com')
    await until(async () => (await webhookOf(webhook)).failing_since !== null)
    for (const number of [2, 3]) {
      await makeSubscriber(started.api, list.id, `other${number}@example.com`)
      await change(`x${number}@example.com`)
    }
    await until(async () => (await messagesOf(webhook)).reduce((sum, { events }) => sum + events, 0) === 3)
    receiver.answer = () => 200
    const event_types = ['studio_subscriber_updated', 'studio_subscriber_created']
    await started.api.put(`/webhooks/${webhook.id}`, { webhook: { event_types } })
    await until(() => receiver.accepted.length >= 3)

    expect(emailsOf(receiver.accepted)).toEqual(['x1@example.com', 'x2@example.com', 'x3@example.com'])
  })

  it('misses nothing after Listwright has disabled it, and begins anew after a user has', async () => {
    const receiver = await webhookReceiver()
    receiver.answer = () => 410
    const list = await makeList(started.api)
    const webhook = await makeWebhook(receiver.url)
    await makeSubscriber(started.api, list.id, 'first@example.com')
    await until(async () => !(await webhookOf(webhook)).is_enabled)
    // Another webhook has what is recorded looked at again.
    const other = await makeWebhook(receiver.url, { event_types: ['studio_open'] })
    await started.api.delete(`/webhooks/${other.id}`)
    await makeSubscriber(started.api, list.id, 'second@example.com')
    receiver.answer = () => 200
    await started.api.put(`/webhooks/${webhook.id}`, { webhook: { is_enabled: true } })
    await until(() => receiver.accepted.length === 2)

    receiver.answer = () => 503
    await makeSubscriber(started.api, list.id, 'missed@example.com')
    await until(async () => (await webhookOf(webhook)).failing_since !== null)
    await started.api.put(`/webhooks/${webhook.id}`, { webhook: { is_enabled: false } })
    const replay = await started.api.post(`/webhooks/${webhook.id}/replay`, { replay: { since: 0 } })
    receiver.answer = () => 200
    await started.api.put(`/webhooks/${webhook.id}`, { webhook: { is_enabled: true } })
    await makeSubscriber(started.api, list.id, 'anew@example.com')
    await until(() => receiver.accepted.length === 3)

    expect(emailsOf(receiver.accepted)).toEqual([
      'first@example.com',
      'second@example.com',
      'anew@example.com'
    ])
    expect(replay.error_message).toBe(`the webhook ${webhook.name} is disabled: enable it first`)
  })

  it('has taken a message if the status says so, also where the rest of the answer breaks off', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Length': 100 })
      response.write('half')
      setTimeout(() => response.destroy(), 20)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { id } = await makeWebhook(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)

    const test = expectSuccess(await started.api.post<WebhookTest>(`/webhooks/${id}/test`))

    expect(test).toMatchObject({ is_accepted: true, status: 200, answer: 'half' })
  })
})

describe('the log of a webhook', () => {
  it('has each message with its answer, and sends one again if asked', async () => {
    const receiver = await webhookReceiver()
    const webhook = await makeWebhook(receiver.url)
    await makeSubscriber(started.api, (await makeList(started.api)).id, 'a@example.com')
    await until(async () => (await messagesOf(webhook, '?state=delivered')).length === 1)

    const [message] = await messagesOf(webhook)
    expectSuccess(await started.api.post(`/webhooks/${webhook.id}/messages/${message?.id}/replay`))
    await until(() => receiver.accepted.length === 2)

    expect(message).toMatchObject({ status: 200, answer: 'answer 200', attempts: 1, events: 1 })
    expect(new Set(receiver.requests.map(({ id }) => id))).toEqual(new Set([message?.webhook_id]))
  })

  it('is sent again from a moment on, each event with its id', async () => {
    const receiver = await webhookReceiver()
    const webhook = await makeWebhook(receiver.url)
    const list = await makeList(started.api)
    await makeSubscriber(started.api, list.id, 'early@example.com')
    await until(() => receiver.accepted.length === 1)
    await new Promise((resolve) => setTimeout(resolve, 1100))
    const since = Math.floor(Date.now() / 1000)
    await makeSubscriber(started.api, list.id, 'late@example.com')
    await makeSubscriber(started.api, list.id, 'later@example.com')
    await until(() => receiver.accepted.length === 3)

    expectSuccess(await started.api.post(`/webhooks/${webhook.id}/replay`, { replay: { since } }))
    await until(() => receiver.accepted.length === 5)

    const again = receiver.requests.slice(3)
    expect(emailsOf(receiver.accepted.slice(3))).toEqual(['late@example.com', 'later@example.com'])
    expect(again.map(({ id }) => id)).toEqual(receiver.requests.slice(1, 3).map(({ id }) => id))
  })
})

describe('the secrets of a webhook', () => {
  it('sign all together, until the old one is removed', async () => {
    const receiver = await webhookReceiver()
    const webhook = await makeWebhook(receiver.url)
    const path = `/webhooks/${webhook.id}/secrets`
    const added = expectSuccess(await started.api.post<WebhookSecret & { secret: string }>(path))

    expectSuccess(await started.api.post(`/webhooks/${webhook.id}/test`))
    const [old] = expectSuccess(await started.api.get<WebhookSecret[]>(path))
    expectSuccess(await started.api.delete(`${path}/${old?.id}`))
    expectSuccess(await started.api.post(`/webhooks/${webhook.id}/test`))

    const [both, alone] = receiver.requests
    const verify = (secret: string, request = both) =>
      new Verifier(secret).verify(request?.body ?? '', request?.headers as Record<string, string>)
    expect(() => [verify(webhook.secret), verify(added.secret), verify(added.secret, alone)]).not.toThrow()
    expect(() => verify(webhook.secret, alone)).toThrow()
    const last = await started.api.delete(`${path}/${added.id}`)
    expect(last.error_message).toBe('this is the only secret of the webhook: add another one first')
  })

  it('are all kept when several requests add one at the same time', async () => {
    const webhook = await makeWebhook('https://example.com/hook')
    const path = `/webhooks/${webhook.id}/secrets`
    const adding = Array.from({ length: 3 }, () => started.api.post<WebhookSecret>(path))

    const added = (await Promise.all(adding)).map((answer) => expectSuccess(answer).id)

    expect(added.toSorted()).toEqual([2, 3, 4])
    const kept = expectSuccess(await started.api.get<WebhookSecret[]>(path))
    expect(kept.map(({ id }) => id)).toEqual([1, 2, 3, 4])
  })
})

describe('the address of a webhook', () => {
  it.each(['ftp://example.com/', 'example.com/hook', 'javascript:alert(1)'])('is not %s', async (url) => {
    const { error_message } = await started.api.post('/webhooks', { webhook: { name: `Bad ${url}`, url } })
    expect(error_message).toBe(
      `url must be a web address that begins with http:// or https://; "${url}" is none`
    )
  })

  it.each(['127.0.0.1', 'localhost', '[::1]', '0x7f.1'])(
    'may be the private %s only if a system administrator allows it',
    async (host) => {
      const receiver = await webhookReceiver()
      const url = receiver.url.replace('127.0.0.1', host)
      const { id } = await makeWebhook(url, { allows_private_addresses: false })

      const test = expectSuccess(await started.api.post<WebhookTest>(`/webhooks/${id}/test`))

      expect(test.is_accepted).toBe(false)
      expect(test.answer).toContain('is an address of this computer or of a private network')
      expect(receiver.requests).toEqual([])
    }
  )

  it('stays the one that a system administrator has allowed', async () => {
    const receiver = await webhookReceiver()
    const admin = await clientOfUser(started, { role: 'organization_admin' })
    const { id } = await makeWebhook(receiver.url)

    const made = await admin.post('/webhooks', {
      webhook: { name: 'Own', url: receiver.url, allows_private_addresses: true }
    })
    const moved = await admin.put(`/webhooks/${id}`, { webhook: { url: 'http://127.0.0.1:1/' } })

    const sentence =
      'only a system administrator allows allows_private_addresses, and changes the url of a webhook that is allowed to'
    expect([made.error_message, moved.error_message]).toEqual([sentence, sentence])
    expectSuccess(await admin.put(`/webhooks/${id}`, { webhook: { name: 'Renamed' } }))
  })

  it('is not followed to another one', async () => {
    const target = await webhookReceiver()
    const receiver = await webhookReceiver()
    receiver.answer = () => 302
    const { id } = await makeWebhook(receiver.url)

    const test = expectSuccess(await started.api.post<WebhookTest>(`/webhooks/${id}/test`))

    expect(test).toMatchObject({ is_accepted: false, status: 302 })
    expect(target.requests).toEqual([])
  })
})
