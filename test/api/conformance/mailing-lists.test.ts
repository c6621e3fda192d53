import { describe, expect, it } from 'vitest'
import type { MailingList } from '../../../src-main/api/mailing-lists/schema.ts'
import { clientOfUser, makeOrganization } from '../../support/accounts.ts'
import { sharedApplication } from '../../support/application.ts'
import { deleteList, importText, makeField, makeList, makeRemoteList } from '../../support/builders.ts'

const started = sharedApplication()
let number = 0
const unique = (): string => `Name ${++number}`

async function put(id: number, mailing_list: Record<string, unknown>) {
  return started.api.put<MailingList>(`/mailing_lists/${id}`, { mailing_list })
}

async function define(path: string, body: unknown): Promise<{ id: number }> {
  return (await started.api.post<{ id: number }>(path, body)).data
}

const winner = {
  d_autowinner_enabled: true,
  d_autowinner_percentage: '10',
  d_autowinner_delay_amount: 4,
  d_autowinner_delay_unit: 'hours',
  d_autowinner_metric: 'opens_unique'
}

describe('a mailing list refuses with validation_failed', () => {
  const refusals: [rule: string, list: Record<string, unknown>, message: RegExp][] = [
    ['no name', {}, /^name cannot be blank$/],
    ['a blank name', { name: '  ' }, /^name cannot be blank$/],
    [
      'a d_from_email that is no address',
      { name: 'L', d_from_email: 'nobody' },
      /^d_from_email is not a valid/
    ],
    ['a d_reply_to that is no address', { name: 'L', d_reply_to: 'a@' }, /^d_reply_to is not a valid/],
    [
      'a d_sender_email that is no address',
      { name: 'L', d_sender_email: '@b' },
      /^d_sender_email is not a valid/
    ],
    [
      'a d_virtual_mta that does not exist',
      { name: 'L', d_virtual_mta: 'Fast' },
      /^d_virtual_mta "Fast" does not exist$/
    ],
    [
      'a d_url_domain that does not exist',
      { name: 'L', d_url_domain: 'x.org' },
      /^d_url_domain "x\.org" does not exist$/
    ],
    [
      'a d_bounce_email that does not exist',
      { name: 'L', d_bounce_email: 'b@x.org' },
      /^d_bounce_email "b@x\.org" does not exist$/
    ],
    ['a d_speed below 0', { name: 'L', d_speed: -1 }, /^d_speed must be at least 0$/],
    [
      'a seed list id that does not exist',
      { name: 'L', d_seed_list_ids: [999999] },
      /^d_seed_list_ids: seed list 999999 does not exist$/
    ],
    [
      'a seed list name that does not exist',
      { name: 'L', d_seed_list_names: ['Nobody'] },
      /^d_seed_list_names: seed list "Nobody" does not exist$/
    ],
    [
      'both seed list inputs',
      { name: 'L', d_seed_list_ids: [1], d_seed_list_names: ['A'] },
      /d_seed_list_ids and d_seed_list_names must not be given together/
    ],
    [
      'd_autowinner_enabled without its percentage',
      { name: 'L', ...winner, d_autowinner_percentage: null },
      /^d_autowinner_percentage cannot be blank when d_autowinner_enabled is true$/
    ],
    [
      'd_autowinner_enabled without its delay amount',
      { name: 'L', ...winner, d_autowinner_delay_amount: null },
      /^d_autowinner_delay_amount cannot be blank/
    ],
    [
      'd_autowinner_enabled without its delay unit',
      { name: 'L', ...winner, d_autowinner_delay_unit: null },
      /^d_autowinner_delay_unit cannot be blank/
    ],
    [
      'd_autowinner_enabled without its metric',
      { name: 'L', ...winner, d_autowinner_metric: null },
      /^d_autowinner_metric cannot be blank/
    ],
    [
      'another unit of delay than minutes, hours or days',
      { name: 'L', d_autowinner_delay_unit: 'weeks' },
      /^d_autowinner_delay_unit must be one of minutes, hours, days$/
    ],
    [
      'a metric that is none',
      { name: 'L', d_autowinner_metric: 'luck' },
      /^d_autowinner_metric must be one of opens_unique, clicks_unique, opens_total, clicks_total, click_to_open_rate$/
    ],
    [
      'custom_headers_enabled without custom_headers',
      { name: 'L', custom_headers_enabled: true },
      /^custom_headers cannot be blank when custom_headers_enabled is true$/
    ],
    [
      'a primary key that is no custom field',
      { name: 'L', primary_key_custom_field_id: 999999 },
      /^primary_key_custom_field_id 999999 is no custom field of this list$/
    ],
    [
      'preview data of a field that is none',
      { name: 'L', preview_custom_field_data: { Shoe: 1 } },
      /^preview_custom_field_data\.Shoe is no custom field of this list$/
    ],
    [
      'a remote list without a connection',
      { name: 'L', is_remote_list: true },
      /exactly one of database_connection_id and database_connection_name/
    ],
    [
      'a remote list with two connections',
      { name: 'L', is_remote_list: true, database_connection_id: 1, database_connection_name: 'A' },
      /exactly one of/
    ],
    [
      'a connection id that does not exist',
      { name: 'L', is_remote_list: true, database_connection_id: 999999 },
      /^database_connection_id 999999 does not exist$/
    ],
    [
      'a connection name that does not exist',
      { name: 'L', is_remote_list: true, database_connection_name: 'Nobody' },
      /^database_connection_name "Nobody" does not exist$/
    ],
    [
      'a connection of a list that is not remote',
      { name: 'L', database_connection_name: 'A' },
      /belong to Remote Lists only$/
    ]
  ]
  it.each(refusals)('%s', async (_rule, mailing_list, message) => {
    const answer = await started.api.post('/mailing_lists', { mailing_list })
    expect(answer).toMatchObject({ status: 200, success: false, data: null, error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(message)
  })
})

describe('an autowinner percentage', () => {
  it.each([
    [95, '95'],
    [94.85, '94.85'],
    ['94.85', '94.85'],
    ['94.8', '94.8'],
    [0, '0'],
    ['100', '100']
  ])('%j is answered as the string %j', async (given, answered) => {
    const list = await makeList(started.api, { d_autowinner_percentage: given })
    expect(list.d_autowinner_percentage).toBe(answered)
  })

  it.each([94.85000000000001, '94.855', 101, -1, 'half', ''])('%j is refused', async (given) => {
    const answer = await started.api.post('/mailing_lists', {
      mailing_list: { name: 'L', d_autowinner_percentage: given }
    })
    expect(answer).toMatchObject({ error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(/^d_autowinner_percentage must be .* with at most two decimals/)
  })
})

describe('what a list sends with by default', () => {
  it('d_virtual_mta is a name in any case, and System Default Route selects the system default', async () => {
    const name = unique()
    const { id } = await define('/virtual_mtas', { virtual_mta: { name } })
    const list = await makeList(started.api, { d_virtual_mta: name.toUpperCase() })
    expect(list).toMatchObject({ d_virtual_mta: name, d_virtual_mta_id: id })
    const { data } = await put(list.id, { d_virtual_mta: 'System Default Route' })
    expect(data).toMatchObject({ d_virtual_mta: 'System Default Route', d_virtual_mta_id: 0 })
  })

  it('d_url_domain and d_bounce_email are also given by name, and null clears them', async () => {
    const domain = `u${++number}.example.com`
    const url = await define('/url_domains', { url_domain: { domain } })
    const bounce = await define('/bounce_emails', { bounce_email: { username: 'Bounce', domain } })
    const list = await makeList(started.api, { d_url_domain: domain, d_bounce_email: `bounce@${domain}` })
    expect(list).toMatchObject({
      d_url_domain: domain,
      d_url_domain_id: url.id,
      d_bounce_email: `bounce@${domain}`,
      d_bounce_email_id: bounce.id
    })
    const kept = await put(list.id, { d_speed: 1 })
    expect(kept.data).toMatchObject({ d_url_domain: domain, d_bounce_email_id: bounce.id })
    const { data } = await put(list.id, { d_url_domain: null, d_bounce_email: null })
    expect(data).toMatchObject({ d_url_domain_id: null, d_bounce_email: null, d_bounce_email_id: null })
  })

  it('seed lists come by ids or by names in any case, are answered as {id, name}, and replace each other', async () => {
    const names = [unique(), unique()]
    const made = await Promise.all(names.map((name) => define('/seed_lists', { seed_list: { name } })))
    const list = await makeList(started.api, { d_seed_list_ids: made.map(({ id }) => id) })
    expect(list.d_seed_lists).toEqual(names.map((name, index) => ({ id: made[index]?.id, name })))
    const [, second = ''] = names
    const byName = await put(list.id, { d_seed_list_names: [second.toLowerCase()] })
    expect(byName.data.d_seed_lists).toEqual([{ id: made[1]?.id, name: second }])
    expect((await put(list.id, { d_speed: 1 })).data.d_seed_lists).toHaveLength(1)
    expect((await put(list.id, { d_seed_list_ids: [] })).data.d_seed_lists).toEqual([])
  })

  it('a record that a list uses cannot be deleted, and data.dependencies names the list', async () => {
    const domain = `d${++number}.example.com`
    const mta = await define('/virtual_mtas', { virtual_mta: { name: domain } })
    const url = await define('/url_domains', { url_domain: { domain } })
    const bounce = await define('/bounce_emails', { bounce_email: { username: 'b', domain } })
    const seed = await define('/seed_lists', { seed_list: { name: domain } })
    const list = await makeList(started.api, {
      d_virtual_mta: domain,
      d_url_domain: domain,
      d_bounce_email: `b@${domain}`,
      d_seed_list_names: [domain]
    })
    const paths = [
      `/virtual_mtas/${mta.id}`,
      `/url_domains/${url.id}`,
      `/bounce_emails/${bounce.id}`,
      `/seed_lists/${seed.id}`
    ]
    for (const path of paths) {
      expect(await started.api.delete(path), path).toMatchObject({
        error_code: 'validation_failed',
        data: { dependencies: [{ type: 'mailing_list', id: list.id }] }
      })
    }
    await deleteList(started.api, list.id)
    for (const path of paths) expect((await started.api.delete(path)).success, path).toBe(true)
  })
})

describe('preview_custom_field_data', () => {
  it('answers name -> {name, type, value}, and an update is merged into the existing values', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    await makeField(started.api, list.id, 'Age', 'number')
    const first = await put(list.id, { preview_custom_field_data: { City: 'Bern', Age: 40 } })
    expect(first.data.preview_custom_field_data).toEqual({
      City: { name: 'City', type: 'text', value: 'Bern' },
      Age: { name: 'Age', type: 'number', value: 40 }
    })
    const merged = await put(list.id, {
      preview_custom_field_data: { Age: { name: 'Age', value: 41 } }
    })
    expect(merged.data.preview_custom_field_data).toMatchObject({
      City: { value: 'Bern' },
      Age: { value: 41 }
    })
  })
})

describe('primary_key_custom_field_id', () => {
  it('may be a global field when a list is created', async () => {
    const { data: field } = await started.api.post<{ id: number }>('/custom_fields', {
      custom_field: { name: unique(), field_type: 'text' }
    })
    const list = await makeList(started.api, { primary_key_custom_field_id: field.id })
    expect(list.primary_key_custom_field_id).toBe(field.id)
  })

  it('cannot be a field with several values', async () => {
    const list = await makeList(started.api)
    const field = await makeField(started.api, list.id, 'Boxes', 'select_multiple_checkboxes', {
      options: [{ name: 'A' }]
    })
    const answer = await put(list.id, { primary_key_custom_field_id: field.id })
    expect(answer.error_message).toMatch(/Boxes can have several values/)
  })
})

describe('a Remote List', () => {
  it('names its connection by id or by name', async () => {
    const name = unique()
    const { id } = await define('/database_connections', { database_connection: { name } })
    for (const given of [{ database_connection_id: id }, { database_connection_name: name.toUpperCase() }]) {
      const list = await makeList(started.api, { is_remote_list: true, ...given })
      expect(list).toMatchObject({
        is_remote_list: true,
        database_connection_id: id,
        database_connection_name: name
      })
    }
    expect(await started.api.delete(`/database_connections/${id}`)).toMatchObject({
      error_code: 'validation_failed'
    })
  })

  it('can change its connection, and keeps it if an update does not mention it', async () => {
    const list = await makeRemoteList(started.api)
    const other = await makeRemoteList(started.api)
    expect((await put(list.id, { d_speed: 5 })).data.database_connection_id).toBe(list.database_connection_id)
    const { data } = await put(list.id, { database_connection_id: other.database_connection_id })
    expect(data.database_connection_name).toBe(other.database_connection_name)
  })

  it('is created as such: later is_remote_list must be what it is', async () => {
    const [local, remote] = [await makeList(started.api), await makeRemoteList(started.api)]
    for (const [list, is_remote_list] of [
      [local, true],
      [remote, false]
    ] as const) {
      expect(await put(list.id, { is_remote_list })).toMatchObject({
        error_code: 'validation_failed',
        error_message: 'is_remote_list can be set only when a list is created'
      })
    }
    expect((await put(remote.id, { is_remote_list: true })).success).toBe(true)
    expect((await put(local.id, { database_connection_id: 1 })).error_message).toMatch(/Remote Lists only$/)
  })

  it('belongs to the System Organization only', async () => {
    const { database_connection_id } = await makeRemoteList(started.api)
    const other = await clientOfUser(started, {
      organizationId: await makeOrganization(started),
      role: 'organization_admin'
    })
    const answer = await other.post('/mailing_lists', {
      mailing_list: { name: 'Remote', is_remote_list: true, database_connection_id }
    })
    expect(answer).toMatchObject({ error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(/^is_remote_list: .*System Organization only$/)
  })

  it('has custom fields, is counted with no subscribers, and can be deleted', async () => {
    const list = await makeRemoteList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    const { data } = await started.api.get<{ delete_confirmation_code: string }>(
      `/mailing_lists/${list.id}/delete_confirmation_code`
    )
    expect(
      await started.api.delete(`/mailing_lists/${list.id}/confirmed/${data.delete_confirmation_code}`)
    ).toMatchObject({ success: true, data: null })
  })
})

describe('a confirmed deletion', () => {
  it('takes its code once, cancels scheduled imports, and the list is not returned any more', async () => {
    const list = await makeList(started.api)
    await importText(started.api, list.id, 'email\na@example.com')
    const { data: waiting } = await started.api.post<{ id: number }>(
      `/mailing_lists/${list.id}/subscriber_imports`,
      {
        subscriber_import: {
          column_mapping: ['email'],
          begins_at: '2099-01-01T00:00:00Z',
          file_source: { type: 'json', content: 'email\nb@example.com' }
        }
      }
    )
    const { data } = await started.api.get<{ delete_confirmation_code: string }>(
      `/mailing_lists/${list.id}/delete_confirmation_code`
    )
    const path = `/mailing_lists/${list.id}/confirmed/${data.delete_confirmation_code}`
    expect(await started.api.delete(path)).toMatchObject({ success: true, data: null })
    expect(await started.api.delete(path)).toMatchObject({ error_code: 'not_found' })
    expect((await started.api.get<{ state: string }>(`/subscriber_imports/${waiting.id}`)).data.state).toBe(
      'cancelled'
    )
    const { data: lists } = await started.api.get<MailingList[]>('/mailing_lists')
    expect(lists.map(({ id }) => id)).not.toContain(list.id)
  })

  it('takes the newest code only', async () => {
    const list = await makeList(started.api)
    const path = `/mailing_lists/${list.id}/delete_confirmation_code`
    const { data: first } = await started.api.get<{ delete_confirmation_code: string }>(path)
    await started.api.get(path)
    expect(
      await started.api.delete(`/mailing_lists/${list.id}/confirmed/${first.delete_confirmation_code}`)
    ).toMatchObject({ error_code: 'validation_failed' })
  })
})
