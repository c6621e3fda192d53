import { describe, expect, it } from 'vitest'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import { sharedApplication } from '../support/application.ts'
import { importText, makeField, makeList, makeSubscriber } from '../support/builders.ts'
import { unsubscribeTokenOf } from '../support/unsubscribe.ts'

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
    expect(answer.error_message).toBe(
      'Email ^"Email" is the primary key for this mailing list, and this value is already taken by a different ' +
        'subscriber in the list., Email address ^"Email" is the primary key for this mailing list, and this value is ' +
        'already taken by a different subscriber in the list.'
    )
  })

  it('with several kinds of faults gets all of them in one answer', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'Age', 'number')
    await makeSubscriber(started.api, list.id, 'anna@example.com')
    const answer = await started.api.post(subscribersOf(list.id), {
      subscriber: { email: 'anna@example.com', status: 'active', custom_fields: { Age: 'old' } }
    })
    expect(answer.error_message).toMatch(/^Age must be a whole number.*, Email \^"Email" is the primary key/)
  })

  it('returns a format and confirmation only on lists that store them, but accepts both everywhere', async () => {
    const keeping = await makeList(started.api, { has_format: true, has_confirmed: true })
    const plain = await makeSubscriber(started.api, keeping.id, 'a@example.com')
    expect(plain).toMatchObject({ email_format: 'html', confirmed: false })
    await importText(started.api, keeping.id, 'b@example.com,both', {
      column_mapping: ['email', 'email_format'],
      file_format: { csv_has_headers: false }
    })
    const path = `${subscribersOf(keeping.id)}/b@example.com`
    const [read] = (await started.api.get<Subscriber[]>(path)).data
    expect(read?.email_format).toBe('both')
    const { custom_fields: _, ...sent } = read ?? ({} as Subscriber)
    expect(await started.api.put(path, { subscriber: sent })).toMatchObject({ success: true })
    const other = await makeList(started.api)
    const made = await makeSubscriber(started.api, other.id, 'a@example.com', {
      email_format: 'html',
      confirmed: true
    })
    expect(Object.keys(made)).not.toContain('email_format')
    expect(Object.keys(made)).not.toContain('confirmed')
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
    const gone = await started.api.get(`${subscribersOf(list.id)}/${made.id}`)
    expect(gone).toMatchObject({ success: false, error_code: 'not_found', data: null })
  })
})

describe('looking subscribers up', () => {
  it('answers not_found for one unknown subscriber, and an empty array for several', async () => {
    const list = await makeList(started.api)
    for (const one of ['a@example.com', '999999999']) {
      const answer = await started.api.get(`${subscribersOf(list.id)}/${one}`)
      expect(answer).toMatchObject({ success: false, data: null, error_code: 'not_found' })
    }
    const several = await started.api.get(`${subscribersOf(list.id)}/a@example.com,b@example.com`)
    expect(several).toMatchObject({ success: true, data: [] })
  })

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

describe('searching by email across organizations', () => {
  it('is for system administrators and names the organization', async () => {
    const list = await makeList(started.api)
    const email = `across${list.id}@example.com`
    const made = await makeSubscriber(started.api, list.id, email)
    for (const scope of ['all', '1']) {
      const { data } = await started.api.get<unknown[]>(
        `/organizations/${scope}/subscribers_by_email/${encodeURIComponent(email)}`
      )
      expect(data).toEqual([
        {
          id: made.id,
          status: 'active',
          email,
          mailing_list: { id: list.id, name: list.name },
          organization: { id: 1, name: 'System Organization' }
        }
      ])
    }
    expect(await started.api.get(`/organizations/99/subscribers_by_email/${email}`)).toMatchObject({
      error_code: 'not_found'
    })
  })

  it('pages by token', async () => {
    const lists = await Promise.all([makeList(started.api), makeList(started.api), makeList(started.api)])
    const email = `paged${lists[0].id}@example.com`
    for (const list of lists) await makeSubscriber(started.api, list.id, email)
    const ids: number[] = []
    let token: string | null | undefined = ''
    while (token !== null) {
      const page: Awaited<ReturnType<typeof started.api.get<{ id: number }[]>>> = await started.api.get(
        `/subscribers_by_email/${encodeURIComponent(email)}?per_page=2&page_token=${token ?? ''}`
      )
      ids.push(...page.data.map(({ id }) => id))
      token = page.next_page_token ?? null
    }
    expect(ids).toHaveLength(3)
    expect(new Set(ids).size).toBe(3)
  })
})

describe('unsubscribing by token', () => {
  it('unsubscribes the subscriber of the token and answers it', async () => {
    const list = await makeList(started.api)
    const made = await makeSubscriber(started.api, list.id, 'a@example.com')
    const token = await unsubscribeTokenOf(started, made.id)
    const { data } = await started.api.post<Subscriber>('/subscribers/unsubscribe', {
      unsubscribe: { token, ip: '192.0.2.9' }
    })
    expect(data).toMatchObject({
      id: made.id,
      status: 'unsubscribed',
      created_at_epoch: made.created_at_epoch
    })
    const counts = await started.api.get<{
      mailing_lists: { mailing_list: { id: number }; counts: unknown }[]
    }>('/subscriber_counts')
    const own = counts.data.mailing_lists.find(({ mailing_list }) => mailing_list.id === list.id)
    expect(own?.counts).toMatchObject({ active: 0, unsubscribed: 1 })
  })

  it('takes the organization from the key, never from the body', async () => {
    const list = await makeList(started.api)
    const made = await makeSubscriber(started.api, list.id, 'a@example.com')
    const token = await unsubscribeTokenOf(started, made.id)
    const answer = await started.api.post<Subscriber>('/subscribers/unsubscribe', {
      unsubscribe: { token, organizationId: 99 }
    })
    expect(answer).toMatchObject({ success: true, data: { status: 'unsubscribed' } })
  })

  it('answers null for the token of a deleted subscriber', async () => {
    const list = await makeList(started.api)
    const made = await makeSubscriber(started.api, list.id, 'a@example.com')
    const token = await unsubscribeTokenOf(started, made.id)
    await started.api.delete(`/mailing_lists/${list.id}/subscribers/${made.id}`)
    const answer = await started.api.post('/subscribers/unsubscribe', { unsubscribe: { token } })
    expect(answer).toMatchObject({ error_code: 'not_found', data: null })
  })

  it('refuses a token of another organization, a forged one, and an invalid ip', async () => {
    const list = await makeList(started.api)
    const [a, b] = [
      await makeSubscriber(started.api, list.id, 'a@example.com'),
      await makeSubscriber(started.api, list.id, 'b@example.com')
    ]
    const token = await unsubscribeTokenOf(started, a.id)
    const forged = token.replace(/^\d+/, String(b.id))
    for (const unsubscribe of [{ token: forged }, { token: '' }, { token: 'x' }, { token, ip: 'home' }]) {
      expect(await started.api.post('/subscribers/unsubscribe', { unsubscribe })).toMatchObject({
        success: false,
        error_code: 'validation_failed'
      })
    }
  })
})

describe('a list whose primary key is a custom field', () => {
  async function listWithKey(): Promise<number> {
    const list = await makeList(started.api)
    const key = await makeField(started.api, list.id, 'Number', 'number')
    await started.api.put(`/mailing_lists/${list.id}`, {
      mailing_list: { primary_key_custom_field_id: key.id }
    })
    return list.id
  }

  it('takes an email several times and a key once', async () => {
    const listId = await listWithKey()
    await makeSubscriber(started.api, listId, 'same@example.com', { custom_fields: { Number: 1 } })
    await makeSubscriber(started.api, listId, 'same@example.com', { custom_fields: { Number: 2 } })
    const again = await started.api.post(subscribersOf(listId), {
      subscriber: { email: 'other@example.com', status: 'active', custom_fields: { Number: 2 } }
    })
    expect(again.error_message).toBe(
      'Number ^"Number" is the primary key for this mailing list, ' +
        'and this value is already taken by a different subscriber in the list.'
    )
    const without = await started.api.post(subscribersOf(listId), {
      subscriber: { email: 'other@example.com', status: 'active' }
    })
    expect(without.error_message).toMatch(/^Number cannot be blank/)
  })

  it('returns all subscribers that share an email, and multiple_records_found if a request needs exactly one', async () => {
    const listId = await listWithKey()
    for (const Number of [1, 2]) {
      await makeSubscriber(started.api, listId, 'same@example.com', { custom_fields: { Number } })
    }
    const { data } = await started.api.get<unknown[]>(`${subscribersOf(listId)}/same%40example.com`)
    expect(data).toHaveLength(2)
    const answer = await started.api.put(`${subscribersOf(listId)}/same%40example.com`, {
      subscriber: { status: 'bounced' }
    })
    expect(answer).toMatchObject({ success: false, error_code: 'multiple_records_found' })
  })

  it('deletes ten at a time of those who share an email, and says whether more remain', async () => {
    const listId = await listWithKey()
    for (let Number = 0; Number < 12; Number++) {
      await makeSubscriber(started.api, listId, 'same@example.com', { custom_fields: { Number } })
    }
    const first = await started.api.delete<{ subscriber_ids_removed: number[]; more_remaining: boolean }>(
      `${subscribersOf(listId)}/same%40example.com`
    )
    expect([first.data.subscriber_ids_removed.length, first.data.more_remaining]).toEqual([10, true])
    const second = await started.api.delete<{ subscriber_ids_removed: number[]; more_remaining: boolean }>(
      `${subscribersOf(listId)}/same%40example.com`
    )
    expect([second.data.subscriber_ids_removed.length, second.data.more_remaining]).toEqual([2, false])
  })
})

describe('an email address', () => {
  it.each([
    'plain@example.com',
    'plus+tag@example.com',
    "o'brien.x_y-z@sub.example.co.uk",
    '"quoted local"@example.com',
    'jürgen@example.com',
    'anna@münchen.example',
    '用户@例子.广告',
    'a@xn--mnchen-3ya.example',
    "a-b._+=%/:;?!#$&'*{}|~`c@example.com",
    `${'a'.repeat(256)}@example.com`,
    'a@under_score.example.com',
    'a@10.example.com'
  ])('such as %s is taken and answered as it was given', async (email) => {
    const list = await makeList(started.api)
    const made = await makeSubscriber(started.api, list.id, email)
    expect(made.email).toBe(email)
    const found = await started.api.get<Subscriber[]>(
      `${subscribersOf(list.id)}/${encodeURIComponent(email)}`
    )
    expect(found.data.map(({ id }) => id)).toEqual([made.id])
  })

  it.each([
    ['anna@münchen.example', 'Anna@xn--mnchen-3ya.example'],
    ['jürgen@example.com', 'ju\u0308rgen@example.com']
  ])('such as %s is one subscriber with %s', async (first, second) => {
    const list = await makeList(started.api)
    await makeSubscriber(started.api, list.id, first)
    const answer = await started.api.post(subscribersOf(list.id), {
      subscriber: { email: second, status: 'active' }
    })
    expect(answer.error_message).toMatch(/^Email \^"Email" is the primary key/)
    const imported = await importText(started.api, list.id, second, {
      file_format: { csv_has_headers: false }
    })
    expect(imported.stats.subscribers).toMatchObject({ added: 0, skipped_overwrite: 1 })
  })

  it.each([
    'plain',
    '@example.com',
    'a@',
    'a@b',
    'a b@example.com',
    'a..b@example.com',
    '.a@example.com',
    'a@-example.com',
    'a@example..com',
    'a@b@example.com',
    `${'a'.repeat(257)}@example.com`,
    'a@192.168.10.10',
    'a@b-.example.com',
    'a@b.-example.com',
    'a@[192.168.10.10]',
    `a@${'b'.repeat(64)}.com`,
    'a@example.com\nBcc: b@example.com'
  ])('such as %j is refused by name', async (email) => {
    const list = await makeList(started.api)
    const answer = await started.api.post(subscribersOf(list.id), { subscriber: { email, status: 'active' } })
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(/^email /)
  })
})
