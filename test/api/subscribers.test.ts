import { describe, expect, it } from 'vitest'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import { sharedApplication } from '../support/application.ts'
import { makeField, makeList, makeSubscriber } from '../support/builders.ts'

const started = sharedApplication()
const subscribersOf = (listId: number): string => `/mailing_lists/${listId}/subscribers`

describe('a subscriber', () => {
  it('answers every key of the specification', async () => {
    const list = await makeList(started.api)
    const subscriber = await makeSubscriber(started.api, list.id, 'Anna@Example.com')
    const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
    expect(subscriber).toEqual({
      id: expect.any(Number) as number,
      mailing_list_id: list.id,
      email: 'Anna@Example.com',
      created_at: expect.stringMatching(time) as string,
      created_at_epoch: expect.any(Number) as number,
      status: 'active',
      subscribe_time: expect.stringMatching(time) as string,
      subscribe_time_epoch: expect.any(Number) as number,
      subscribe_ip: null,
      custom_fields: {}
    })
  })

  it('has a format and a confirmation only on lists that keep them', async () => {
    const list = await makeList(started.api, { has_format: true, has_confirmed: true })
    const subscriber = await makeSubscriber(started.api, list.id, 'a@example.com', {
      email_format: 'plaintext',
      confirmed: true
    })
    expect(subscriber).toMatchObject({ email_format: 'plaintext', confirmed: true })
  })

  it('is on a list once, whatever the case of its email', async () => {
    const list = await makeList(started.api)
    await makeSubscriber(started.api, list.id, 'anna@example.com')
    const answer = await started.api.post(subscribersOf(list.id), {
      subscriber: { email: 'ANNA@example.com', status: 'active' }
    })
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(/^email /)
  })

  it('needs an email and a status', async () => {
    const list = await makeList(started.api)
    const answer = await started.api.post(subscribersOf(list.id), { subscriber: {} })
    expect(answer.error_message).toContain('email')
    expect(answer.error_message).toContain('status')
  })

  it('keeps what an update leaves out, custom fields included', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    await makeField(started.api, list.id, 'Age', 'number')
    const made = await makeSubscriber(started.api, list.id, 'a@example.com', {
      subscribe_ip: '192.0.2.7',
      custom_fields: { City: 'Wien', Age: 30 }
    })
    const { data } = await started.api.put<Subscriber>(`${subscribersOf(list.id)}/${made.id}`, {
      subscriber: { custom_fields: { Age: 31 } }
    })
    expect(data).toMatchObject({ email: 'a@example.com', subscribe_ip: '192.0.2.7' })
    expect(data.custom_fields['City']?.value).toBe('Wien')
    expect(data.custom_fields['Age']?.value).toBe(31)
  })

  it('is updated by its email as well', async () => {
    const list = await makeList(started.api)
    await makeSubscriber(started.api, list.id, 'a+b@example.com')
    const path = `${subscribersOf(list.id)}/${encodeURIComponent('A+B@example.com')}`
    const { data } = await started.api.put<Subscriber>(path, { subscriber: { status: 'bounced' } })
    expect(data.status).toBe('bounced')
  })

  it('takes the defaults of the fields when asked to', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text', { default_string: 'Wien' })
    const made = await makeSubscriber(started.api, list.id, 'a@example.com', {
      apply_custom_field_defaults: true
    })
    expect(made.custom_fields['City']?.value).toBe('Wien')
    const plain = await makeSubscriber(started.api, list.id, 'b@example.com')
    expect(plain.custom_fields['City']?.value).toBeNull()
  })

  it('is deleted by id or email, and its id is answered', async () => {
    const list = await makeList(started.api)
    const made = await makeSubscriber(started.api, list.id, 'a@example.com')
    const answer = await started.api.delete(`${subscribersOf(list.id)}/a%40example.com`)
    expect(answer.data).toEqual({ subscriber_ids_removed: [made.id], more_remaining: false })
    expect((await started.api.get<unknown[]>(`${subscribersOf(list.id)}/${made.id}`)).data).toEqual([])
  })
})

describe('looking subscribers up', () => {
  it('takes ids and emails together', async () => {
    const list = await makeList(started.api)
    const [a, b] = [
      await makeSubscriber(started.api, list.id, 'a@example.com'),
      await makeSubscriber(started.api, list.id, 'b,c@example.com'.replace(',', '.'))
    ]
    const { data } = await started.api.get<Subscriber[]>(
      `${subscribersOf(list.id)}/${a.id},${encodeURIComponent(b.email)},nobody%40example.com`
    )
    expect(data.map(({ id }) => id)).toEqual([a.id, b.id])
  })

  it('takes at most 100 of them', async () => {
    const list = await makeList(started.api)
    const names = (count: number): string => Array.from({ length: count }, (_, n) => n + 1).join(',')
    expect((await started.api.get(`${subscribersOf(list.id)}/${names(100)}`)).success).toBe(true)
    expect(await started.api.get(`${subscribersOf(list.id)}/${names(101)}`)).toMatchObject({
      success: false,
      error_code: 'requested_too_many'
    })
  })

  it('by email finds a person on every list', async () => {
    const lists = [await makeList(started.api), await makeList(started.api)]
    const email = `everywhere${lists[0]?.id}@example.com`
    for (const list of lists) await makeSubscriber(started.api, list.id, email)
    const { data } = await started.api.get<{ mailing_list: { id: number } }[]>(
      `/subscribers_by_email/${encodeURIComponent(email.toUpperCase())}`
    )
    expect(data.map(({ mailing_list }) => mailing_list.id)).toEqual(lists.map(({ id }) => id))
    const onOne = await started.api.get<{ mailing_list: { id: number } }[]>(
      `/mailing_lists/${lists[1]?.id}/subscribers_by_email/${encodeURIComponent(email)}`
    )
    expect(onOne.data).toHaveLength(1)
  })
})
