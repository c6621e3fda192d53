import { describe, expect, it } from 'vitest'
import type { SubscriberEvent, Surroundings } from '../../src-main/workbench/subscriber-page/endpoints.ts'
import { clientOfUser } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import { act, select, undo } from '../support/bulk-actions.ts'
import {
  allSubscribers,
  importFile,
  importText,
  makeAutoresponder,
  makeCampaign,
  makeField,
  makeList,
  makeSubscriber
} from '../support/builders.ts'

const started = sharedApplication()

interface Page {
  events: SubscriberEvent[]
  next: number | null
}

async function historyOf(id: number, before?: number | null): Promise<Page> {
  const query = before == null ? '' : `?before=${before}`
  return (await started.api.workbench<Page>('GET', `/subscribers/${id}/history${query}`)).data
}

async function idOf(listId: number, email: string): Promise<number> {
  return (await allSubscribers(started.api, listId)).find((each) => each.email === email)?.id ?? 0
}

describe('the history of a subscriber', () => {
  it('shows the campaigns that they were sent, to who may read statistics', async () => {
    const list = await makeList(started.api)
    const { id } = await makeSubscriber(started.api, list.id, 'a@example.com')
    const campaign = await makeCampaign(started.api, list.id, {
      name: 'Spring',
      dispatch_attributes: { from_email: 'news@example.com', begins_at: Math.floor(Date.now() / 1000) }
    })
    await started.api.sent(campaign.id)
    expect((await historyOf(id)).events).toMatchObject([
      { type: 'message', message: { id: campaign.id, name: 'Spring' } },
      { type: 'added' }
    ])
    const reader = await clientOfUser(started, { permissions: { subscriber: ['read'] } })
    const { data } = await reader.workbench<Page>('GET', `/subscribers/${id}/history`)
    expect(data.events.map(({ type }) => type)).toEqual(['added'])
  })

  it('shows what was changed by the API, with the key and its user', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    const { id } = await makeSubscriber(started.api, list.id, 'a@example.com', {
      custom_fields: { City: 'Wien' }
    })
    const key = await clientOfUser(started, { permissions: { subscriber: ['read', 'update'] } })
    await key.put(`/mailing_lists/${list.id}/subscribers/${id}`, {
      subscriber: { email: 'b@example.com', status: 'unsubscribed', custom_fields: { City: 'Graz' } }
    })
    const { events, next } = await historyOf(id)
    expect(next).toBeNull()
    expect(events).toMatchObject([
      {
        type: 'changed',
        via: 'api_key',
        user: { name: 'Test' },
        cause: { name: 'test' },
        status: { before: 'active', now: 'unsubscribed' },
        changes: [
          { attribute: 'email', before: 'a@example.com', now: 'b@example.com' },
          { field: 'City', before: 'Wien', now: 'Graz' }
        ]
      },
      { type: 'added', via: 'api_key', status: { before: null, now: 'active' }, changes: [] }
    ])
  })

  it('shows which imports added or overwrote the subscriber, and how the status changed', async () => {
    const list = await makeList(started.api)
    const emails = Array.from({ length: 40 }, (_, index) => `p${index}@example.com`)
    await importText(started.api, list.id, ['email', ...emails].join('\n'))
    const [first, second] = [await idOf(list.id, 'p10@example.com'), await idOf(list.id, 'p11@example.com')]
    const overwriting = {
      overwrite: true,
      overwrite_what: { status: true },
      column_mapping: ['email', 'status']
    }
    const rows = emails.filter((_, index) => index % 2 === 0).map((email) => `${email},unsubscribed`)
    const { id } = await importText(started.api, list.id, ['email,status', ...rows].join('\n'), overwriting)
    expect((await historyOf(first)).events).toMatchObject([
      {
        type: 'changed',
        via: 'subscriber_import',
        cause: { id },
        status: { before: 'active', now: 'unsubscribed' }
      },
      { type: 'added', via: 'subscriber_import', status: null }
    ])
    expect((await historyOf(second)).events).toMatchObject([{ type: 'added', via: 'subscriber_import' }])
    await started.api.workbench('POST', `/subscriber_imports/${id}/undo`)
    await expect
      .poll(async () => (await historyOf(first)).events[0])
      .toMatchObject({ via: 'import_undo', cause: { id }, status: { before: 'unsubscribed', now: 'active' } })
    expect((await historyOf(second)).events).toHaveLength(1)
  })

  it('shows bulk actions and their undo only for subscribers that they changed, and follows a move', async () => {
    const list = await makeList(started.api)
    const other = await makeList(started.api)
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k']) {
      const status = 'acegik'.includes(name) ? 'active' : 'bounced'
      await makeSubscriber(started.api, list.id, `${name}@example.com`, { status })
    }
    const [active, bounced] = [await idOf(list.id, 'c@example.com'), await idOf(list.id, 'd@example.com')]
    const action = await act(started.api, await select(started.api, list.id), {
      kind: 'set_status',
      status: 'bounced'
    })
    await undo(started.api, action.id)
    expect((await historyOf(active)).events).toMatchObject([
      {
        via: 'bulk_action_undo',
        kind: 'set_status',
        status: { before: 'bounced', now: 'active' },
        user: { id: 1 }
      },
      {
        via: 'bulk_action',
        kind: 'set_status',
        status: { before: 'active', now: 'bounced' },
        cause: { id: action.id }
      },
      { type: 'added' }
    ])
    expect((await historyOf(bounced)).events).toHaveLength(1)
    await act(started.api, await select(started.api, list.id), { kind: 'move', mailing_list_id: other.id })
    expect((await historyOf(active)).events[0]).toMatchObject({
      type: 'added',
      via: 'bulk_action',
      kind: 'move'
    })
    expect((await historyOf(bounced)).events).toHaveLength(2)
  })

  it('shows the status that a bulk action set, and the domain that a bulk action corrected', async () => {
    const list = await makeList(started.api)
    const { id } = await makeSubscriber(started.api, list.id, 'a@gmial.com')
    await act(started.api, await select(started.api, list.id), { kind: 'set_status', status: 'bounced' })
    await act(started.api, await select(started.api, list.id), {
      kind: 'correct_domains',
      domains: { 'gmial.com': 'gmail.com' }
    })
    expect((await historyOf(id)).events).toMatchObject([
      { kind: 'correct_domains', cause: { name: 'gmial.com → gmail.com' } },
      { kind: 'set_status', status: { before: 'active', now: 'bounced' } },
      { type: 'added' }
    ])
  })

  it('names keys and imports to those alone who may see them', async () => {
    const list = await makeList(started.api)
    await makeSubscriber(started.api, list.id, 'a@example.com')
    await importFile(started, list.id, 'email\nb@example.com\n')
    const reader = await clientOfUser(started, { permissions: { subscriber: ['read'] } })
    for (const [email, via] of [
      ['a@example.com', 'api_key'],
      ['b@example.com', 'subscriber_import']
    ] as const) {
      const { events } = await historyOf(await idOf(list.id, email))
      expect(events[0]).toMatchObject({ via, cause: { name: expect.any(String) as unknown } })
      const { data } = await reader.workbench<{ events: unknown[] }>(
        'GET',
        `/subscribers/${await idOf(list.id, email)}/history`
      )
      expect(data.events[0]).toMatchObject({ via, cause: { name: null } })
    }
  })

  it('comes in pages also where merged entries are among them', async () => {
    const list = await makeList(started.api)
    const other = await makeList(started.api)
    const { id } = await makeSubscriber(started.api, list.id, 'a@example.com')
    for (let change = 0; change < 70; change++) {
      const subscriber = { status: change % 2 === 0 ? 'bounced' : 'active' }
      await started.api.put(`/mailing_lists/${list.id}/subscribers/${id}`, { subscriber })
    }
    await act(started.api, await select(started.api, list.id), { kind: 'move', mailing_list_id: other.id })
    let count = 0
    for (let next: number | null | undefined; next !== null;) {
      const page = await historyOf(id, next)
      count += page.events.length
      next = page.next
    }
    expect(count).toBe(72)
  })

  it('comes in pages, none twice and none left out', async () => {
    const list = await makeList(started.api)
    const { id } = await makeSubscriber(started.api, list.id, 'a@example.com')
    for (let change = 0; change < 60; change++) {
      const subscriber = { status: change % 2 === 0 ? 'bounced' : 'active' }
      await started.api.put(`/mailing_lists/${list.id}/subscribers/${id}`, { subscriber })
    }
    const first = await historyOf(id)
    const second = await historyOf(id, first.next ?? 0)
    expect([first.events.length, second.events.length, second.next]).toEqual([50, 11, null])
    expect(second.events.at(-1)?.type).toBe('added')
  })
})

it('a subscriber is shown with other lists of the address, what suppresses it, and messages that wait', async () => {
  const { api } = started
  const [list, other] = [await makeList(api), await makeList(api, { name: 'Other' })]
  await makeAutoresponder(api, list.id, 'Welcome', {
    trigger: 'subscription',
    trigger_run_on_api: true,
    delay: 'with_delay',
    delay_amount: 3,
    delay_unit: 'days'
  })
  const { id } = await makeSubscriber(api, list.id, 'both@example.com')
  await makeSubscriber(api, other.id, 'BOTH@example.com', { status: 'bounced' })
  const suppression_list = { name: 'Never', mailing_list_id: list.id }
  const never = (await api.post<{ id: number }>('/suppression_lists', { suppression_list })).data
  await api.post(`/suppression_lists/${never.id}/suppressed_addresses/create_multiple`, {
    data: ['both@example.com']
  })
  const surroundings = async () =>
    (await api.workbench<Surroundings>('GET', `/subscribers/${id}/surroundings`)).data
  // Addresses are suppressed after the answer.
  await expect.poll(surroundings).toMatchObject({
    others: [{ mailing_list_name: 'Other', status: 'bounced' }],
    suppression_lists: [{ name: 'Never' }],
    autoresponders: [{ name: 'Welcome' }]
  })
})

it('shows when and from where a subscriber unsubscribed', async () => {
  const { api } = started
  const list = await makeList(api, { name: 'Gone' })
  await importText(api, list.id, 'gone@example.com,unsubscribed,2024-02-01 09:00:00,192.0.2.7\n', {
    column_mapping: ['email', 'status', 'remove_time', 'remove_ip'],
    file_format: { csv_has_headers: false }
  })
  const [gone] = await allSubscribers(api, list.id)

  const { data } = await api.workbench<Surroundings>('GET', `/subscribers/${gone?.id}/surroundings`)

  expect(data.remove_ip).toBe('192.0.2.7')
  expect(data.remove_time).toMatch(/^2024-02-01T09:00:00/)
})
