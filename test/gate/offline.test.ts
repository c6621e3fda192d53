import { expect, it } from 'vitest'
import { temporaryDirectory } from '../support/application.ts'
import { allSubscribers, makeCampaign, makeList, makeSubscriber } from '../support/builders.ts'
import { addGate, serveGate } from '../support/gate.ts'
import { outboxOf } from '../support/outbox.ts'
import { serve } from '../support/process.ts'
import { until } from '../support/smtp-route.ts'

/** Milliseconds from the start of the application. */
const appliedWithin = 10_000

it('an unsubscribe that a mail service posted while the application was off holds within ten seconds of its start', async () => {
  const [ofGate, directory] = [await temporaryDirectory(), await temporaryDirectory()]
  const gate = await serveGate(ofGate)
  const before = await serve(directory)
  const url_domain_id = await addGate(before.api, gate)
  const list = await makeList(before.api)
  await makeSubscriber(before.api, list.id, 'reader@example.com')
  const { id } = await makeCampaign(before.api, list.id, {
    contents: [{ subject: 'Hello', format: 'text', text: 'Hello' }],
    dispatch_attributes: {
      from_email: 'a@example.com',
      url_domain_id,
      begins_at: Math.floor(Date.now() / 1000)
    }
  })
  await before.api.sent(id)
  const [message] = await outboxOf(directory, id)
  const [, link = ''] = /<(http[^>]+)>/.exec(message?.headers.get('list-unsubscribe') ?? '') ?? []
  expect(await before.end('SIGTERM')).toBe(0)

  const posted = await fetch(link, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click'
  })
  expect(posted.status).toBe(200)
  const started = Date.now()
  const { api } = await serve(directory)

  await until(async () => (await allSubscribers(api, list.id))[0]?.status === 'unsubscribed', appliedWithin)
  expect(Date.now() - started).toBeLessThan(appliedWithin)
})
