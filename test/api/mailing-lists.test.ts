import { describe, expect, it } from 'vitest'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import type { SubscriberCounts } from '../../src-main/api/subscriber-counts/schema.ts'
import { sharedApplication } from '../support/application.ts'
import { importText, makeField, makeList, makeSubscriber } from '../support/builders.ts'

const started = sharedApplication()

async function confirmationCode(listId: number): Promise<string> {
  const { data } = await started.api.get<{ delete_confirmation_code: string }>(
    `/mailing_lists/${listId}/delete_confirmation_code`
  )
  return data.delete_confirmation_code
}

describe('a mailing list', () => {
  it('answers every key of the specification, with its defaults', async () => {
    const list = await makeList(started.api, { name: 'Defaults' })
    expect(list).toEqual({
      id: expect.any(Number) as number,
      name: 'Defaults',
      d_from_email: null,
      d_from_name: null,
      d_reply_to: null,
      d_sender_email: null,
      d_virtual_mta: 'System Default Route',
      d_virtual_mta_id: 0,
      d_url_domain: null,
      d_url_domain_id: null,
      d_speed: 0,
      d_bounce_email: null,
      d_bounce_email_id: null,
      d_seed_lists: [],
      d_autowinner_enabled: false,
      d_autowinner_percentage: null,
      d_autowinner_delay_amount: null,
      d_autowinner_delay_unit: null,
      d_autowinner_metric: null,
      has_format: false,
      has_confirmed: false,
      custom_headers_enabled: false,
      custom_headers: '',
      primary_key_custom_field_id: null,
      preview_custom_field_data: {},
      is_remote_list: false,
      database_connection_id: null,
      database_connection_name: null
    })
  })

  it('keeps what an update leaves out', async () => {
    const list = await makeList(started.api, { d_from_name: 'Anna', d_speed: 20 })
    const { data } = await started.api.put<MailingList>(`/mailing_lists/${list.id}`, {
      mailing_list: { d_speed: 30 }
    })
    expect(data).toMatchObject({ name: list.name, d_from_name: 'Anna', d_speed: 30 })
  })

  it('keeps every attribute when an update names none', async () => {
    const list = await makeList(started.api, {
      d_from_email: 'from@example.com',
      d_from_name: 'From',
      d_reply_to: 'reply@example.com',
      d_sender_email: 'sender@example.com',
      d_speed: 20,
      d_autowinner_enabled: true,
      d_autowinner_percentage: '10',
      d_autowinner_delay_amount: 2,
      d_autowinner_delay_unit: 'days',
      d_autowinner_metric: 'opens_unique',
      has_format: true,
      has_confirmed: true,
      custom_headers_enabled: true,
      custom_headers: 'X-Own: yes'
    })
    const { data } = await started.api.put<MailingList>(`/mailing_lists/${list.id}`, { mailing_list: {} })
    expect(data).toEqual(list)
  })

  it('requires the d_autowinner_* settings if d_autowinner_enabled is true', async () => {
    const answer = await started.api.post('/mailing_lists', {
      mailing_list: { name: 'Winner', d_autowinner_enabled: true }
    })
    expect(answer.error_code).toBe('validation_failed')
    for (const key of ['percentage', 'delay_amount', 'delay_unit', 'metric']) {
      expect(answer.error_message).toContain(`d_autowinner_${key}`)
    }
  })

  it('refuses a percentage with more than two decimals and keeps others as text', async () => {
    const winner = {
      d_autowinner_enabled: true,
      d_autowinner_delay_amount: 4,
      d_autowinner_delay_unit: 'hours',
      d_autowinner_metric: 'opens_unique'
    }
    const list = await makeList(started.api, { ...winner, d_autowinner_percentage: 12.5 })
    expect(list.d_autowinner_percentage).toMatch(/^12\.50?$/)
    const refused = await started.api.put(`/mailing_lists/${list.id}`, {
      mailing_list: { d_autowinner_percentage: 94.85000000000001 }
    })
    expect(refused).toMatchObject({ success: false, error_code: 'validation_failed' })
  })
})

describe('deleting a mailing list', () => {
  it('takes a code of 40 hex digits that works for two minutes', async () => {
    const list = await makeList(started.api)
    const [secret, expiry] = (await confirmationCode(list.id)).split(':')
    expect(secret).toMatch(/^[0-9a-f]{40}$/)
    expect(Number(expiry) - Date.now() / 1000).toBeGreaterThan(115)
    expect(Number(expiry) - Date.now() / 1000).toBeLessThanOrEqual(120)
  })

  it('refuses a wrong code and another list’s code, and keeps the list', async () => {
    const [list, other] = [await makeList(started.api), await makeList(started.api)]
    const expired = `${'a'.repeat(40)}:1421871666`
    for (const code of [await confirmationCode(other.id), expired, 'none']) {
      const answer = await started.api.delete(`/mailing_lists/${list.id}/confirmed/${code}`)
      expect(answer, code).toMatchObject({ success: false, error_code: 'validation_failed' })
    }
    expect((await started.api.get(`/mailing_lists/${list.id}`)).success).toBe(true)
  })

  it('removes the list with its subscribers', async () => {
    const list = await makeList(started.api)
    await makeSubscriber(started.api, list.id, 'gone@example.com')
    const answer = await started.api.delete(
      `/mailing_lists/${list.id}/confirmed/${await confirmationCode(list.id)}`
    )
    expect(answer).toMatchObject({ success: true, data: null })
    expect(await started.api.get(`/mailing_lists/${list.id}`)).toMatchObject({ error_code: 'not_found' })
    const found = await started.api.get<unknown[]>('/subscribers_by_email/gone%40example.com')
    expect(found.data).toEqual([])
  })

  it('does not disturb an import of the same addresses into another list', async () => {
    const [list, other] = [await makeList(started.api), await makeList(started.api)]
    await importText(started.api, list.id, 'email\na@example.com\n')
    await started.api.delete(`/mailing_lists/${list.id}/confirmed/${await confirmationCode(list.id)}`)
    const again = await importText(started.api, other.id, 'email\na@example.com\n')
    expect(again.stats.subscribers.added).toBe(1)
  })
})

describe('subscriber counts', () => {
  it('count each status on each list, and all lists together', async () => {
    const before = (await started.api.get<SubscriberCounts>('/subscriber_counts')).data
    const list = await makeList(started.api, { name: 'Counted' })
    await makeSubscriber(started.api, list.id, 'a@example.com')
    await makeSubscriber(started.api, list.id, 'b@example.com', { status: 'bounced' })
    const moved = await makeSubscriber(started.api, list.id, 'c@example.com')
    await started.api.put(`/mailing_lists/${list.id}/subscribers/${moved.id}`, {
      subscriber: { status: 'unsubscribed' }
    })
    const { data } = await started.api.get<SubscriberCounts>('/subscriber_counts')
    const counts = { active: 1, bounced: 1, unsubscribed: 1, scomp: 0, deactivated: 0 }
    expect(data.mailing_lists).toContainEqual({ mailing_list: { id: list.id, name: 'Counted' }, counts })
    expect(data.counts.active).toBe(before.counts.active + 1)
    expect(data.organization.id).toBe(1)
  })

  it('of an organization are for system administrators', async () => {
    const own = await started.api.get('/subscriber_counts')
    expect((await started.api.get('/organization/1/subscriber_counts')).data).toEqual(own.data)
    expect(await started.api.get('/organization/99/subscriber_counts')).toMatchObject({
      error_code: 'not_found'
    })
  })

  it('follow the changes of an import', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    await importText(started.api, list.id, 'email,status\na@x.org,bounced\nb@x.org,\n', {
      column_mapping: ['email', 'status']
    })
    const { data } = await started.api.get<SubscriberCounts>('/subscriber_counts')
    const own = data.mailing_lists.find(({ mailing_list }) => mailing_list.id === list.id)
    expect(own?.counts).toMatchObject({ active: 1, bounced: 1 })
  })
})
