import { describe, expect, it } from 'vitest'
import type { Autoresponder } from '../../../src-main/api/autoresponders/schema.ts'
import { clientOfUser } from '../../support/accounts.ts'
import { sharedApplication } from '../../support/application.ts'
import { makeAutoresponder, makeList } from '../../support/builders.ts'

const started = sharedApplication()
let number = 0
const unique = (): string => `Name ${++number}`

describe('what lists send with refuses with validation_failed', () => {
  it.each([
    ['/virtual_mtas', { virtual_mta: { name: ' ' } }, /^name cannot be blank$/],
    [
      '/virtual_mtas',
      { virtual_mta: { name: 'system default route' } },
      /^name "system default route" is there already$/
    ],
    ['/url_domains', { url_domain: { domain: 'no domain' } }, /^domain must be a domain such as/],
    ['/url_domains', { url_domain: {} }, /^domain cannot be blank$/],
    [
      '/bounce_emails',
      { bounce_email: { username: 'a b', domain: 'example.com' } },
      /^username must be what stands before the @/
    ],
    ['/bounce_emails', { bounce_email: { username: 'a', domain: 'example' } }, /^domain must be a domain/],
    ['/database_connections', { database_connection: { name: '' } }, /^name cannot be blank$/],
    [
      '/seed_lists',
      { seed_list: { name: 'S', addresses_array: ['a@example.com', 'nobody'] } },
      /^addresses_array\.1 is not a valid email address/
    ],
    ['/seed_lists', { seed_list: {} }, /^name cannot be blank$/]
  ])('%s with %j', async (path, body, message) => {
    const answer = await started.api.post(path, body)
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(message)
  })

  it.each([
    ['/virtual_mtas', { virtual_mta: { name: 'Twice' } }],
    ['/url_domains', { url_domain: { domain: 'Twice.example.com' } }],
    ['/bounce_emails', { bounce_email: { username: 'twice', domain: 'example.com' } }],
    ['/database_connections', { database_connection: { name: 'Twice' } }],
    ['/seed_lists', { seed_list: { name: 'Twice' } }]
  ])('%s: the same one twice', async (path, body) => {
    expect((await started.api.post(path, body)).success).toBe(true)
    expect(await started.api.post(path, body)).toMatchObject({ error_code: 'validation_failed' })
  })
})

describe('what lists send with', () => {
  it('the virtual MTAs always include the system default route, which cannot be deleted', async () => {
    const { data } = await started.api.get<unknown[]>('/virtual_mtas')
    expect(data[0]).toEqual({ id: 0, type: 'default_route', name: 'System Default Route' })
    const made = await started.api.post('/virtual_mtas', { virtual_mta: { name: unique() } })
    expect(made.data).toMatchObject({ type: 'virtualmta' })
    expect((await started.api.get<unknown[]>('/virtual_mtas')).data).toContainEqual(made.data)
    expect(await started.api.delete('/virtual_mtas/0')).toMatchObject({ success: false })
  })

  it('the id of a bounce email names its user and its domain', async () => {
    const domain = `d${++number}.example.com`
    const make = async (username: string) =>
      (
        await started.api.post<{ id: string; email: string }>('/bounce_emails', {
          bounce_email: { username, domain }
        })
      ).data
    const [first, second] = [await make('one'), await make('two')]
    expect(first.email).toBe(`one@${domain}`)
    expect(first.id).toMatch(/^\d+@\d+$/)
    expect(second.id.split('@')[1]).toBe(first.id.split('@')[1])
    expect(await started.api.delete('/bounce_emails/none')).toMatchObject({ error_code: 'not_found' })
  })

  it('a seed list holds each address once, and an update keeps what it leaves out', async () => {
    const { data } = await started.api.post<{ id: number }>('/seed_lists', {
      seed_list: { name: unique(), addresses_array: ['a@example.com', 'A@Example.com', ' ', 'b@example.com'] }
    })
    expect(data).toMatchObject({ addresses_array: ['a@example.com', 'b@example.com'] })
    const name = unique()
    const renamed = await started.api.put(`/seed_lists/${data.id}`, { seed_list: { name } })
    expect(renamed.data).toMatchObject({ name, addresses_array: ['a@example.com', 'b@example.com'] })
  })
})

describe('an autoresponder refuses with validation_failed', () => {
  it.each([
    ['no name', { trigger: 'api' }, /^name cannot be blank$/],
    ['no trigger', { name: 'A' }, /^trigger cannot be blank$/],
    [
      'a trigger that is none',
      { name: 'A', trigger: 'moon' },
      /^trigger must be one of subscription, campaign_open/
    ],
    ['a name that the list has', { name: 'taken', trigger: 'api' }, /already taken by another autoresponder/],
    [
      'a delay without its unit',
      { name: 'A', trigger: 'api', delay: 'with_delay', delay_amount: 3 },
      /^delay_unit cannot be blank when delay is with_delay$/
    ],
    [
      'an hour that is none',
      { name: 'A', trigger: 'api', delay_time: 24 },
      /^delay_time must be at most 23$/
    ],
    [
      'a trigger by another one that is not named',
      { name: 'A', trigger: 'autoresponder_open' },
      /^trigger_autoresponder_to_open_id cannot be blank when trigger is autoresponder_open$/
    ],
    [
      'another one that is not there',
      { name: 'A', trigger: 'autoresponder_send', trigger_autoresponder_to_open_id: 999999 },
      /999999 is no other autoresponder of this list$/
    ],
    [
      'a virtual MTA that is not there',
      { name: 'A', trigger: 'api', virtual_mta_id: 999999 },
      /^virtual_mta_id 999999 does not exist$/
    ],
    [
      'a URL domain that is not there',
      { name: 'A', trigger: 'api', url_domain_id: 999999 },
      /^url_domain_id 999999 does not exist$/
    ],
    [
      'a bounce email that is not there',
      { name: 'A', trigger: 'api', bounce_email_user_id: 999999 },
      /^bounce_email_user_id 999999 does not exist$/
    ],
    [
      'a from_email that is no address',
      { name: 'A', trigger: 'api', from_email: 'me' },
      /^from_email is not a valid/
    ],
    [
      'a segment that is not there',
      { name: 'A', trigger: 'api', segmentation_criteria_id: 9 },
      /^segmentation_criteria_id 9 is no segment of this list$/
    ]
  ])('%s', async (_rule, autoresponder, message) => {
    const list = await makeList(started.api)
    await makeAutoresponder(started.api, list.id, 'Taken')
    const answer = await started.api.post(`/mailing_lists/${list.id}/autoresponders`, { autoresponder })
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(message)
  })
})

describe('an autoresponder', () => {
  it('keeps attributes that an update omits, and stores in paused_at when it was paused', async () => {
    const list = await makeList(started.api)
    const made = await makeAutoresponder(started.api, list.id, 'Welcome', {
      trigger: 'subscription',
      content_subject: 'Hello',
      trigger_run_on_api: true
    })
    const put = async (autoresponder: Record<string, unknown>) =>
      (
        await started.api.put<Autoresponder>(`/mailing_lists/${list.id}/autoresponders/${made.id}`, {
          autoresponder
        })
      ).data
    const paused = await put({ paused: true })
    expect(paused).toMatchObject({ paused: true, content_subject: 'Hello', trigger: 'subscription' })
    expect(paused.paused_at).not.toBeNull()
    expect((await put({ name: 'Hi' })).paused_at).toBe(paused.paused_at)
    expect(await put({ paused: false })).toMatchObject({ paused: false, paused_at: null, name: 'Hi' })
  })

  it('is paused only by a user with autoresponder.update_state', async () => {
    const list = await makeList(started.api)
    const made = await makeAutoresponder(started.api, list.id, 'Welcome')
    const path = `/mailing_lists/${list.id}/autoresponders/${made.id}`
    const editor = await clientOfUser(started, { permissions: { autoresponder: ['update'] } })
    expect(await editor.put(path, { autoresponder: { paused: true } })).toMatchObject({ status: 403 })
    const unchanged = { autoresponder: { name: 'Hi', paused: false } }
    expect(await editor.put(path, unchanged)).toMatchObject({ success: true })
  })

  it('cannot be deleted while another autoresponder waits for it', async () => {
    const list = await makeList(started.api)
    const first = await makeAutoresponder(started.api, list.id, 'First')
    const second = await makeAutoresponder(started.api, list.id, 'Second', {
      trigger: 'autoresponder_open',
      trigger_autoresponder_to_open_id: first.id
    })
    const path = `/mailing_lists/${list.id}/autoresponders`
    expect(await started.api.delete(`${path}/${first.id}`)).toMatchObject({
      error_code: 'validation_failed',
      data: { dependencies: [{ type: 'autoresponder', id: second.id }] }
    })
    await started.api.delete(`${path}/${second.id}`)
    expect(await started.api.delete(`${path}/${first.id}`)).toMatchObject({ success: true, data: null })
  })
})
