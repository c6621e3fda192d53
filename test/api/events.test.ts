import { describe, expect, it } from 'vitest'
import type { Event } from '../../src-main/api/events/schema.ts'
import { clientOfUser, makeOrganization, systemAdminIn } from '../support/accounts.ts'
import { sharedApplication, startApplication } from '../support/application.ts'
import {
  expectSuccess,
  importText,
  makeCampaign,
  makeField,
  makeList,
  makeSubscriber
} from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { outboxOf } from '../support/outbox.ts'

const started = sharedApplication()

interface Followed {
  events: Event[]
  last: number
}

async function follow(api: Client, query = ''): Promise<Followed> {
  return expectSuccess(await api.get<Followed>(`/events/follow${query}`))
}

/** What happens while someone follows the events. */
async function eventsDuring(work: () => Promise<unknown>, query = ''): Promise<Event[]> {
  const { last } = await follow(started.api)
  await work()
  return (await follow(started.api, `?after=${last}&wait=5${query}`)).events
}

/** A campaign to one subscriber, and its message. */
async function sentToOne(): Promise<{
  list: { id: number; name: string }
  campaignId: number
  body: string
}> {
  const { api, dataDirectory } = started
  const list = await makeList(api)
  await makeSubscriber(api, list.id, 'anna@example.com')
  const html = '<a href="https://example.com/offer">Offer</a> <a href="%%unsubscribe_link%%">Unsubscribe</a>'
  const { id } = await makeCampaign(api, list.id, {
    contents: [{ subject: 'Hello', format: 'html', html }],
    dispatch_attributes: { from_email: 'a@example.com', begins_at: Math.floor(Date.now() / 1000) }
  })
  await api.sent(id)
  const [message] = await outboxOf(dataDirectory, id)
  return { list, campaignId: id, body: message?.body ?? '' }
}

function linksIn(body: string): string[] {
  return [...body.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url = '']) => url.replaceAll('&amp;', '&'))
}

describe('the events of a followed organization', () => {
  it('tell of a created subscriber, as the API answers it', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')

    const events = await eventsDuring(() =>
      makeSubscriber(started.api, list.id, 'Anna@Example.com', { custom_fields: { City: 'Zürich "1"' } })
    )

    const [subscriber] = expectSuccess(
      await started.api.get<object[]>(`/mailing_lists/${list.id}/subscribers`)
    )
    expect(events).toEqual([
      {
        ...{ event_id: expect.any(Number) as number, event_type: 'studio_subscriber_created' },
        ...{
          event_time: expect.any(Number) as number,
          listid: `a${list.id}`,
          studio_mailing_list_id: list.id
        },
        ...{ list_name: list.name, studio_subscriber_id: (subscriber as { id: number }).id },
        ...{ email: 'Anna@Example.com', json_after: subscriber }
      }
    ])
  })

  it('tell of an updated subscriber, before and after, and of none that stayed the same', async () => {
    const list = await makeList(started.api)
    const { id } = await makeSubscriber(started.api, list.id, 'a@example.com')
    const path = `/mailing_lists/${list.id}/subscribers/${id}`

    const events = await eventsDuring(async () => {
      await started.api.put(path, { subscriber: { email: 'a@example.com' } })
      await started.api.put(path, { subscriber: { status: 'deactivated' } })
    })

    expect(events).toMatchObject([
      {
        event_type: 'studio_subscriber_updated',
        json_before: { id, status: 'active' },
        json_after: { id, status: 'deactivated' }
      }
    ])
  })

  it('tell of each imported row', async () => {
    const list = await makeList(started.api)

    const events = await eventsDuring(() =>
      importText(started.api, list.id, 'email\na@example.com\nb@example.com\n')
    )

    expect(events.map(({ email }) => email)).toEqual(['a@example.com', 'b@example.com'])
  })

  it('tell of nothing that another organization does', async () => {
    const other = await systemAdminIn(started.app, await makeOrganization(started))

    const events = await eventsDuring(async () => {
      const list = await makeList(other)
      await makeSubscriber(other, list.id, 'a@example.com')
      await makeSubscriber(started.api, (await makeList(started.api)).id, 'own@example.com')
    })

    expect(events.map(({ email }) => email)).toEqual(['own@example.com'])
    expect(expectSuccess(await other.get<Followed>('/events')).events).toEqual([])
  })

  it('wait for the next one as long as is asked', async () => {
    const list = await makeList(started.api)
    const { last } = await follow(started.api)

    const waiting = follow(started.api, `?after=${last}&wait=20`)
    await makeSubscriber(started.api, list.id, 'late@example.com')
    const none = await follow(started.api, `?after=${(await waiting).last}&wait=0`)

    expect((await waiting).events.map(({ email }) => email)).toEqual(['late@example.com'])
    expect(none.events).toEqual([])
  })
})

describe('the events of a message', () => {
  it('tell of an open, a click and an unsubscribe, which are unique once', async () => {
    const { list, campaignId, body } = await sentToOne()
    const [offer = '', unsubscribe = '', pixel = ''] = linksIn(body)

    const events = await eventsDuring(async () => {
      await fetch(pixel)
      await fetch(offer, { redirect: 'manual' })
      await fetch(offer, { redirect: 'manual' })
      await fetch(unsubscribe, { method: 'POST' })
    })

    const common = {
      ...{ listid: `a${list.id}`, studio_mailing_list_id: list.id, list_name: list.name },
      ...{ email: 'anna@example.com', sendid: `c${campaignId}`, studio_ip: '127.0.0.1' },
      ...{ studio_campaign_id: campaignId, studio_autoresponder_id: null }
    }
    const click_url = 'https://example.com/offer'
    expect(events.filter(({ event_type }) => event_type !== 'studio_subscriber_updated')).toMatchObject([
      { ...common, event_type: 'studio_open', studio_is_unique: true },
      { ...common, event_type: 'studio_click', studio_is_unique: true, click_url },
      { ...common, event_type: 'studio_click', studio_is_unique: false, click_url },
      { ...common, event_type: 'studio_unsub', studio_is_unique: true }
    ])
  })

  it('tell of no unsubscribe that a program caused through the API', async () => {
    const { list, body } = await sentToOne()

    const events = await eventsDuring(async () => {
      const token = new URL(linksIn(body)[1] ?? '').pathname.split('/').at(-1)
      expectSuccess(await started.api.post('/subscribers/unsubscribe', { unsubscribe: { token } }))
    })

    expect(events.map(({ event_type }) => event_type)).toEqual(['studio_subscriber_updated'])
    expect(events[0]?.studio_mailing_list_id).toBe(list.id)
  })
})

describe('changes of subscribers', () => {
  it('are not recorded while nobody wants them', async () => {
    const { api } = await startApplication()
    await makeSubscriber(api, (await makeList(api)).id, 'a@example.com')

    expect(expectSuccess(await api.get<Followed>('/events')).events).toEqual([])
  })
})

describe('GET /events', () => {
  it('pages through them, newest first, of one type if asked', async () => {
    const list = await makeList(started.api)
    await eventsDuring(async () => {
      const { id } = await makeSubscriber(started.api, list.id, 'one@example.com')
      await makeSubscriber(started.api, list.id, 'two@example.com')
      await started.api.put(`/mailing_lists/${list.id}/subscribers/${id}`, {
        subscriber: { status: 'bounced' }
      })
    })

    const created = '/events?event_type=studio_subscriber_created&per_page=1'
    const first = expectSuccess(await started.api.get<Followed & { next_page_token: string }>(created))
    const second = expectSuccess(
      await started.api.get<Followed>(`${created}&page_token=${first.next_page_token}`)
    )

    expect([...first.events, ...second.events].map(({ email }) => email)).toEqual([
      'two@example.com',
      'one@example.com'
    ])
  })

  it('needs the permission to read subscribers', async () => {
    const user = await clientOfUser(started, { permissions: {} })

    expect((await user.get('/events')).status).toBe(403)
  })
})
