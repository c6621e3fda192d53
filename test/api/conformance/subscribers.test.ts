import { describe, expect, it } from 'vitest'
import type { Subscriber } from '../../../src-main/api/subscribers/schema.ts'
import type { PendingSubscription } from '../../../src-main/api/web-forms/schema.ts'
import { clientOfUser, makeOrganization } from '../../support/accounts.ts'
import { sharedApplication } from '../../support/application.ts'
import {
  allSubscribers,
  makeAutoresponder,
  makeField,
  makeList,
  makeSubscriber,
  makeWebForm
} from '../../support/builders.ts'
import { reactionsOf } from '../../support/reactions.ts'

const started = sharedApplication()
const path = (listId: number): string => `/mailing_lists/${listId}/subscribers`
const onSubscription = { trigger: 'subscription', trigger_run_on_api: true }

function add(listId: number, subscriber: Record<string, unknown>) {
  return started.api.post<Subscriber | null>(path(listId), {
    subscriber: { email: 'a@example.com', status: 'active', ...subscriber }
  })
}

const queued = (listId: number): string[] => reactionsOf(started, listId).map((each) => each.autoresponder)

describe('creating a subscriber refuses with validation_failed', () => {
  const refusals: [rule: string, subscriber: Record<string, unknown>, message: RegExp][] = [
    ['no email', { status: 'active' }, /^email cannot be blank$/],
    ['a blank email', { email: '  ', status: 'active' }, /^email cannot be blank$/],
    ['no status', { email: 'a@example.com' }, /^status cannot be blank$/],
    [
      'a status that is none',
      { email: 'a@example.com', status: 'gone' },
      /^status must be one of active, bounced, unsubscribed, scomp, deactivated$/
    ],
    [
      'an email_format that is none',
      { email: 'a@example.com', status: 'active', email_format: 'rich' },
      /^email_format must be one of plaintext, html, both$/
    ],
    [
      'a subscribe_time that is no time',
      { email: 'a@example.com', status: 'active', subscribe_time: 'soon' },
      /^subscribe_time must be an ISO 8601 time/
    ],
    [
      'a subscribe_ip that is none',
      { email: 'a@example.com', status: 'active', subscribe_ip: 'home' },
      /^subscribe_ip must be an IP address/
    ],
    [
      'a custom field that the list lacks',
      { email: 'a@example.com', status: 'active', custom_fields: { Shoe: 1 } },
      /^custom_fields\.Shoe is no custom field of this list$/
    ],
    [
      'a confirmation form that the list lacks',
      { email: 'a@example.com', status: 'active', confirmation_form_id: 999999 },
      /^confirmation_form_id 999999 is no subscription form of this list$/
    ]
  ]
  it.each(refusals)('%s', async (_rule, subscriber, message) => {
    const list = await makeList(started.api)
    const answer = await started.api.post(path(list.id), { subscriber })
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(message)
    expect(await allSubscribers(started.api, list.id)).toEqual([])
  })
})

describe('creating a subscriber', () => {
  it.each(['active', 'bounced', 'unsubscribed', 'scomp', 'deactivated'])(
    'takes the status %s',
    async (status) => {
      const list = await makeList(started.api)
      expect((await add(list.id, { status })).data?.status).toBe(status)
    }
  )

  it.each([
    ['2015-03-09T10:34:04-05:00', 1425915244],
    ['2015-03-09T15:34:04Z', 1425915244],
    [1425915244, 1425915244]
  ])('takes the subscribe_time %j', async (given, epoch) => {
    const list = await makeList(started.api)
    const { data } = await add(list.id, { subscribe_time: given })
    expect(data).toMatchObject({
      subscribe_time_epoch: epoch,
      subscribe_time: new Date(epoch * 1000).toISOString().replace('.000', '')
    })
  })

  it('sets the present subscribe time and no IP address if the request gives none', async () => {
    const list = await makeList(started.api)
    const { data } = await add(list.id, {})
    expect(data?.subscribe_ip).toBeNull()
    expect(Math.abs((data?.subscribe_time_epoch ?? 0) - Date.now() / 1000)).toBeLessThan(5)
  })

  it('applies the defaults of the fields only with apply_custom_field_defaults', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text', { default_string: 'Bern' })
    const without = await add(list.id, {})
    const withDefaults = await add(list.id, { email: 'b@example.com', apply_custom_field_defaults: true })
    expect(without.data?.custom_fields['City']?.value).toBeNull()
    expect(withDefaults.data?.custom_fields['City']?.value).toBe('Bern')
  })
})

describe('autoresponders of a new subscriber', () => {
  it('run when they trigger on subscription and have Run From API enabled', async () => {
    const list = await makeList(started.api)
    await makeAutoresponder(started.api, list.id, 'Welcome', onSubscription)
    await makeAutoresponder(started.api, list.id, 'Not from API', { trigger: 'subscription' })
    await makeAutoresponder(started.api, list.id, 'By programs', { trigger_run_on_api: true })
    const { data } = await add(list.id, {})
    expect(reactionsOf(started, list.id)).toMatchObject([
      { autoresponder: 'Welcome', subscriber_id: data?.id, content_replacement_fields: {} }
    ])
  })

  it('do not run with skip_autoresponders, or for a status that is not active', async () => {
    const list = await makeList(started.api)
    await makeAutoresponder(started.api, list.id, 'Welcome', onSubscription)
    await add(list.id, { skip_autoresponders: true })
    await add(list.id, { email: 'b@example.com', status: 'bounced' })
    expect(queued(list.id)).toEqual([])
  })

  it.each([
    ['welcome*', ['Welcome A', 'Welcome B']],
    ['*b', ['Welcome B']],
    ['Welcome A', ['Welcome A']],
    ['w.*', []],
    ['*', ['Welcome A', 'Welcome B', 'Other']]
  ])('are limited by autoresponder_filter %j, in any case', async (autoresponder_filter, names) => {
    const list = await makeList(started.api)
    for (const name of ['Welcome A', 'Welcome B', 'Other']) {
      await makeAutoresponder(started.api, list.id, name, onSubscription)
    }
    await add(list.id, { autoresponder_filter })
    expect(queued(list.id)).toEqual(names)
  })

  it('are all skipped by autoresponder_exclude_reacted once one of them is queued for the mailbox', async () => {
    const list = await makeList(started.api)
    const key = await makeField(started.api, list.id, 'Number', 'text')
    await started.api.put(`/mailing_lists/${list.id}`, {
      mailing_list: { primary_key_custom_field_id: key.id }
    })
    for (const name of ['One', 'Two']) await makeAutoresponder(started.api, list.id, name, onSubscription)
    const subscribe = (code: string, filter: string) =>
      add(list.id, {
        custom_fields: { Number: code },
        autoresponder_filter: filter,
        autoresponder_exclude_reacted: true
      })
    await subscribe('1', 'One')
    expect(queued(list.id)).toEqual(['One'])
    await subscribe('2', '*')
    expect(queued(list.id)).toEqual(['One'])
    await subscribe('3', 'Two')
    expect(queued(list.id)).toEqual(['One', 'Two'])
  })

  it('run again on an update with run_autoresponders, and not without', async () => {
    const list = await makeList(started.api)
    await makeAutoresponder(started.api, list.id, 'Welcome', onSubscription)
    const made = await makeSubscriber(started.api, list.id, 'a@example.com')
    const update = (subscriber: Record<string, unknown>) =>
      started.api.put(`${path(list.id)}/${made.id}`, { subscriber })
    await update({ status: 'active' })
    expect(queued(list.id)).toEqual(['Welcome'])
    await update({ status: 'active', run_autoresponders: true })
    expect(queued(list.id)).toEqual(['Welcome', 'Welcome'])
  })

  it('are deleted with their subscriber', async () => {
    const list = await makeList(started.api)
    await makeAutoresponder(started.api, list.id, 'Welcome', onSubscription)
    const { data } = await add(list.id, {})
    await started.api.delete(`${path(list.id)}/${data?.id}`)
    expect(queued(list.id)).toEqual([])
  })
})

describe('with confirmation_form_id', () => {
  async function pendingOf(listId: number): Promise<PendingSubscription[]> {
    return (await started.api.get<PendingSubscription[]>(`/mailing_lists/${listId}/pending_subscriptions`))
      .data
  }

  it('an active subscriber is added only after confirming, and the answer is null until then', async () => {
    const list = await makeList(started.api, { has_confirmed: true })
    await makeField(started.api, list.id, 'City', 'text')
    const form = await makeWebForm(started.api, list.id)
    const answer = await add(list.id, { confirmation_form_id: form.id, custom_fields: { City: 'Bern' } })
    expect(answer).toMatchObject({ success: true, data: null })
    expect(await allSubscribers(started.api, list.id)).toEqual([])
    const [waiting] = await pendingOf(list.id)
    expect(waiting).toMatchObject({ email: 'a@example.com', confirmation_form_id: form.id })
    await started.api.post(`/mailing_lists/${list.id}/pending_subscriptions/${waiting?.id}/confirm`)
    expect(await allSubscribers(started.api, list.id)).toMatchObject([
      {
        email: 'a@example.com',
        status: 'active',
        confirmed: true,
        custom_fields: { City: { value: 'Bern' } }
      }
    ])
    expect(await pendingOf(list.id)).toEqual([])
  })

  it('faults are reported at once, also an email that is already on the list', async () => {
    const list = await makeList(started.api)
    const form = await makeWebForm(started.api, list.id)
    await makeSubscriber(started.api, list.id, 'a@example.com')
    expect((await add(list.id, { confirmation_form_id: form.id })).error_message).toMatch(
      /^Email \^"Email" is the primary key for this mailing list/
    )
    const wrong = await add(list.id, { email: 'nobody', confirmation_form_id: form.id })
    expect(wrong.error_message).toMatch(/^email is not a valid/)
    expect(await pendingOf(list.id)).toEqual([])
  })

  it('a status that is not active is added at once', async () => {
    const list = await makeList(started.api)
    const form = await makeWebForm(started.api, list.id)
    const { data } = await add(list.id, { status: 'unsubscribed', confirmation_form_id: form.id })
    expect(data).toMatchObject({ status: 'unsubscribed' })
    expect(await pendingOf(list.id)).toEqual([])
  })

  it('the form must require confirmation', async () => {
    const list = await makeList(started.api)
    const form = await makeWebForm(started.api, list.id, { requires_confirmation: false })
    expect((await add(list.id, { confirmation_form_id: form.id })).error_message).toMatch(
      /must be a form that requires confirmation$/
    )
  })

  it('the form must be of this list', async () => {
    const [list, other] = [await makeList(started.api), await makeList(started.api)]
    const form = await makeWebForm(started.api, other.id)
    expect((await add(list.id, { confirmation_form_id: form.id })).error_message).toMatch(
      /is no subscription form of this list$/
    )
  })

  it('the autoresponder options do not apply: they run once the subscriber confirms', async () => {
    const list = await makeList(started.api)
    const form = await makeWebForm(started.api, list.id)
    await makeAutoresponder(started.api, list.id, 'Welcome', onSubscription)
    await add(list.id, { confirmation_form_id: form.id, skip_autoresponders: true })
    expect(queued(list.id)).toEqual([])
    const [waiting] = await pendingOf(list.id)
    await started.api.post(`/mailing_lists/${list.id}/pending_subscriptions/${waiting?.id}/confirm`)
    expect(queued(list.id)).toEqual(['Welcome'])
  })

  it('a second request replaces the first', async () => {
    const list = await makeList(started.api)
    const form = await makeWebForm(started.api, list.id)
    await add(list.id, { confirmation_form_id: form.id })
    await add(list.id, { email: 'A@Example.com', confirmation_form_id: form.id })
    expect(await pendingOf(list.id)).toMatchObject([{ email: 'A@Example.com' }])
  })

  it('is required where the organization enforces confirmed opt-in', async () => {
    const api = await clientOfUser(started, {
      organizationId: await makeOrganization(started, { enforces: true }),
      role: 'organization_admin'
    })
    const list = await makeList(api)
    const subscriber = { email: 'a@example.com', status: 'active' }
    expect(await api.post(path(list.id), { subscriber })).toMatchObject({
      error_code: 'validation_failed',
      error_message: 'confirmation_form_id cannot be blank: the organization enforces confirmed opt-in'
    })
    const form = await makeWebForm(api, list.id)
    const answer = await api.post(path(list.id), {
      subscriber: { ...subscriber, confirmation_form_id: form.id }
    })
    expect(answer).toMatchObject({ success: true, data: null })
    await makeAutoresponder(api, list.id, 'Welcome')
    expect(
      await api.post(`${path(list.id)}/b%40example.com/trigger_autoresponders`, {
        create_missing_subscriber: true,
        autoresponder_names: ['Welcome']
      })
    ).toMatchObject({ error_code: 'validation_failed' })
  })
})

describe('the limits', () => {
  it.each([
    [
      'more than 100 ids or emails',
      (id: number) => `${path(id)}/${Array.from({ length: 101 }, (_, n) => n + 1).join(',')}`
    ],
    ['a page of more than 500', (id: number) => `${path(id)}?per_page=501`],
    ['a page of more than 500 of a search', () => '/subscribers_by_email/a%40example.com?per_page=501']
  ])('%s are answered with requested_too_many', async (_what, pathOf) => {
    const list = await makeList(started.api)
    expect(await started.api.get(pathOf(list.id))).toMatchObject({
      status: 200,
      success: false,
      error_code: 'requested_too_many'
    })
  })

  it('an email in a path may hold every character that an address may, URI-encoded', async () => {
    const list = await makeList(started.api)
    const emails = [
      'a/b@example.com',
      'a+b@example.com',
      'a%25b@example.com',
      '"a,b"@example.com',
      'a?b#c@example.com'
    ]
    for (const email of emails) {
      const made = await makeSubscriber(started.api, list.id, email)
      const { data } = await started.api.put<Subscriber>(`${path(list.id)}/${encodeURIComponent(email)}`, {
        subscriber: { status: 'bounced' }
      })
      expect(data, email).toMatchObject({ id: made.id, status: 'bounced' })
    }
    const found = await started.api.get<Subscriber[]>(
      `${path(list.id)}/${emails.map(encodeURIComponent).join(',')}`
    )
    expect(found.data.map(({ email }) => email)).toEqual(emails)
  })
})

it('a custom field can be named by its id if no field has that name', async () => {
  const list = await makeList(started.api)
  const city = await makeField(started.api, list.id, 'City', 'text')
  const path = `/mailing_lists/${list.id}/subscribers`
  const add = (email: string, custom_fields: object) =>
    started.api.post<Subscriber>(path, { subscriber: { email, status: 'active', custom_fields } })
  const valueOf = ({ data }: { data: Subscriber }) => data.custom_fields['City']?.value
  expect(valueOf(await add('a@example.com', { [city.id]: 'Oslo' }))).toBe('Oslo')
  expect(valueOf(await add('b@example.com', { [city.id]: { value: 'Oslo' } }))).toBe('Oslo')
  expect(valueOf(await add('c@example.com', { [city.id]: 'Oslo', city: 'Bergen' }))).toBe('Bergen')
  const other = await makeField(started.api, list.id, String(city.id), 'text')
  const { data } = await add('d@example.com', { [city.id]: 'Named' })
  expect(data.custom_fields[other.name]?.value).toBe('Named')
  expect(data.custom_fields['City']?.value).toBeNull()
  expect((await add('e@example.com', { 999999: 'x' })).error_message).toBe(
    'custom_fields.999999 is no custom field of this list'
  )
})
