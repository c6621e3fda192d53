import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { AuditEvent, AuditPage } from '../../src-main/workbench/audit/endpoints.ts'
import { AuditGroups } from '../../src-main/workbench/audit/groups.ts'
import type { AuditRow } from '../../src-main/workbench/audit/queries.ts'
import { clientOfUser, makeOrganization, makeUser } from '../support/accounts.ts'
import { clientOf, sharedApplication, startApplication, temporaryDirectory } from '../support/application.ts'
import { createApp, entryPoint } from '../support/built.ts'
import {
  allSubscribers,
  deleteList,
  expectSuccess,
  importText,
  makeCampaign,
  makeField,
  makeList,
  makeSegment,
  makeSubscriber
} from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { password, SessionClient } from '../support/session-client.ts'

const started = sharedApplication()

/** A new organization with a program of its administrator, so that nothing else writes into its audit log. */
async function makeOwn(timeZone = 'UTC') {
  const organizationId = await makeOrganization(started, { timeZone })
  const api = await clientOfUser(started, { organizationId, role: 'organization_admin' })
  return { organizationId, api }
}

async function pageOf(api: Client, filter: Record<string, string | number> = {}): Promise<AuditPage> {
  const query = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]))
  const answer = await api.workbench<AuditPage>('GET', `/audit_log?${query.toString()}`)
  expect(answer.error_message).toBeNull()
  return answer.data
}

async function eventsOf(api: Client, filter: Record<string, string | number> = {}): Promise<AuditEvent[]> {
  return (await pageOf(api, filter)).events
}

/** "action entity name", without what made the organization. */
async function told(api: Client, filter: Record<string, string | number> = {}): Promise<string[]> {
  const events = await eventsOf(api, filter)
  return events
    .filter(({ entity }) => !['organization', 'user', 'api_key'].includes(entity))
    .map(({ action, entity, record, records }) => `${action} ${entity} ${record?.name ?? records}`)
}

describe('the audit log', () => {
  it('shows who changed what, when and by which key', async () => {
    const { api } = await makeOwn()
    const began = Date.now()
    const list = await makeList(api, { name: 'Club' })
    await makeSubscriber(api, list.id, 'anna@example.com')
    const [added, created] = await eventsOf(api)
    expect(created).toMatchObject({
      entity: 'mailing_list',
      action: 'create',
      records: 1,
      record: { id: list.id, name: 'Club', exists: true },
      mailing_list: { id: list.id, name: 'Club' },
      via: 'api_key',
      user: { name: 'Test' },
      cause: { name: 'test' }
    })
    expect(added).toMatchObject({
      entity: 'subscriber',
      record: { name: 'anna@example.com', exists: true },
      since: null
    })
    expect(Date.parse(created?.at ?? '')).toBeGreaterThanOrEqual(began - 1000)
  })

  it('shows what changed of a subscriber', async () => {
    const { api } = await makeOwn()
    const list = await makeList(api)
    await makeField(api, list.id, 'City', 'text')
    const { id } = await makeSubscriber(api, list.id, 'anna@example.com')
    const subscriber = { status: 'bounced', custom_fields: { City: 'Wien' } }
    await api.put(`/mailing_lists/${list.id}/subscribers/${id}`, { subscriber })
    const [changed] = await eventsOf(api)
    expect(changed?.changes).toEqual([
      { attribute: 'status', field: null, before: 'active', now: 'bounced' },
      { attribute: null, field: 'City', before: null, now: null }
    ])
  })

  it('keeps the names of what was deleted', async () => {
    const { api } = await makeOwn()
    const list = await makeList(api, { name: 'Club' })
    const segment = await makeSegment(api, list.id, { other: list.id })
    const { data } = await api.post<{ id: number }>('/seed_lists', { seed_list: { name: 'Us', emails: [] } })
    const campaign = await makeCampaign(api, list.id, { name: 'Spring' })
    await api.delete(`/campaigns/${campaign.id}`)
    await api.delete(`/segments/${segment.id}`)
    await api.delete(`/seed_lists/${data.id}`)
    await deleteList(api, list.id)
    const deleted = (await eventsOf(api)).filter(({ action }) => action === 'delete')
    expect(deleted.map(({ entity, record }) => [entity, record?.name, record?.exists])).toEqual([
      ['mailing_list', 'Club', false],
      ['seed_list', 'Us', false],
      ['segment', segment.name, false],
      ['campaign', 'Spring', false]
    ])
  })

  it('counts only the subscribers that an import added, even if its rows alternate with existing subscribers', async () => {
    const { api } = await makeOwn()
    const list = await makeList(api)
    const person = (number: number) => `p${number}@example.com\n`
    const everyThird = Array.from({ length: 10 }, (_, number) => person(3 * number))
    await importText(api, list.id, `email\n${everyThird.join('')}`)
    const { id } = await importText(
      api,
      list.id,
      `email\n${Array.from({ length: 30 }, (_, number) => person(number)).join('')}`
    )
    const added = (await eventsOf(api)).filter(({ cause, action }) => cause?.id === id && action === 'create')
    expect(added).toMatchObject([{ entity: 'subscriber', records: 20, changes: [] }])
  })

  it('shows what changed of a single change only, not of many', async () => {
    const { api } = await makeOwn()
    const list = await makeList(api)
    const { id } = await makeSubscriber(api, list.id, 'anna@example.com')
    const set = (status: string) =>
      api.put(`/mailing_lists/${list.id}/subscribers/${id}`, { subscriber: { status } })
    await set('bounced')
    await set('deactivated')
    const [both] = await eventsOf(api)
    expect(both).toMatchObject({ action: 'update', records: 1, record: null, changes: [] })
    const [second, first] = await eventsOf(api, { entity: 'subscriber', record_id: id })
    expect([first?.changes[0]?.now, second?.changes[0]?.now]).toEqual(['bounced', 'deactivated'])
  })

  it('shows an import, with all that it added and changed, by its name', async () => {
    const { api } = await makeOwn()
    const list = await makeList(api)
    await makeField(api, list.id, 'City', 'text')
    const rows = Array.from({ length: 6000 }, (_, index) => `p${index}@example.com,Wien`)
    const settings = { column_mapping: ['email', 'City'], overwrite: true }
    await importText(api, list.id, ['email,City', ...rows].join('\n'), settings)
    const again = rows.map((row, index) => (index % 2 ? row : row.replace('Wien', 'Graz')))
    const text = ['email,City', ...again, 'new@example.com,Wien'].join('\n')
    const { id } = await importText(api, list.id, text, settings)
    const events = (await eventsOf(api)).filter(({ entity }) => entity === 'subscriber')
    expect(
      events
        .filter(({ cause }) => cause?.id === id)
        .map(({ action }) => action)
        .sort()
    ).toEqual(['create', 'update'])
    expect(events.find(({ cause }) => cause?.id !== id)).toMatchObject({
      action: 'create',
      records: rows.length,
      record: null,
      via: 'subscriber_import'
    })
    // The log has the start of the import, not each of its steps.
    expect(await told(api, { entity: 'subscriber_import' })).toHaveLength(2)
  })

  it('shows a program that adds many, one after the other, once', async () => {
    const { api } = await makeOwn()
    const list = await makeList(api)
    for (const name of ['anna', 'ben', 'clara']) await makeSubscriber(api, list.id, `${name}@example.com`)
    const [added] = await eventsOf(api)
    expect(added).toMatchObject({ action: 'create', records: 3, record: null })
    expect(Date.parse(added?.since ?? '')).toBeLessThanOrEqual(Date.parse(added?.at ?? ''))
  })

  it('shows successful and failed sign-ins, but never a password', async () => {
    const { organizationId, api } = await makeOwn()
    const { email } = await makeUser(started, { organizationId, password1: password, password2: password })
    const window = new SessionClient(started.app)
    for (let wrong = 0; wrong < 5; wrong++) await window.signIn(email, 'wrong horse')
    const [{ record } = { record: null }] = await eventsOf(api)
    await api.put(`/users/${record?.id}/reset_password_failure_lockout`, {})
    await window.signIn(email)
    await window.call('DELETE', '/app/v1/session')
    const signIns = await eventsOf(api, { entity: 'sign_in' })
    expect(signIns.map(({ action, sign_in, via }) => [action, sign_in, via])).toEqual([
      ['delete', null, 'window'],
      ['create', 'password', 'window'],
      ['create', 'locked_out', 'window'],
      ...Array.from({ length: 4 }, () => ['create', 'wrong_password', 'window'])
    ])
    const [out, right, locked] = signIns
    expect([out?.user?.id, right?.user?.id]).toEqual([out?.record?.id, out?.record?.id])
    // The user of a failed sign-in is unknown.
    expect(locked?.user).toBeNull()
    expect(JSON.stringify(signIns)).not.toContain('horse')
  })

  it('shows the attempt of a deactivated user to sign in, and nothing of a changed password', async () => {
    const { organizationId, api } = await makeOwn()
    const user = await makeUser(started, { organizationId, password1: password, password2: password })
    const window = new SessionClient(started.app)
    await window.signIn(user.email)
    const change = { password: 'wrong horse', password1: 'new horse', password2: 'new horse' }
    await window.call('PUT', '/app/v1/session/password', change)
    await api.put(`/users/${user.id}`, { user: { active: false } })
    await new SessionClient(started.app).signIn(user.email)
    const signIns = await eventsOf(api, { entity: 'sign_in' })
    expect(signIns.map(({ sign_in }) => sign_in)).toEqual(['inactive', 'password'])
  })

  it('keeps a sign-out where the sign-in is, whatever organization the window showed', async () => {
    const { organizationId, api } = await makeOwn()
    const window = new SessionClient(started.app)
    await window.openLink(started.app.interfaceUrl())
    const path = '/app/v1/session/organization'
    expect((await window.call('PUT', path, { organization_id: organizationId })).success).toBe(true)
    await window.call('DELETE', '/app/v1/session')
    expect(await eventsOf(api, { entity: 'sign_in' })).toEqual([])
    const [out] = await eventsOf(started.api, { entity: 'sign_in' })
    expect(out).toMatchObject({ action: 'delete', user: { name: 'System Administrator' } })
  })

  it('shows who opened a window by the link of the start', async () => {
    await new SessionClient(started.app).openLink(started.app.interfaceUrl())
    const [signIn] = await eventsOf(started.api, { entity: 'sign_in' })
    expect(signIn).toMatchObject({ sign_in: 'link', via: 'window', user: { name: 'System Administrator' } })
  })

  it('shows API keys and whose they are, and keeps their names', async () => {
    const { organizationId, api } = await makeOwn()
    const user = await makeUser(started, { organizationId, full_name: 'Ben' })
    await api.workbench('POST', '/api_keys', { name: 'CRM', user_id: user.id })
    const keys = await api.workbench<{ id: number; name: string }[]>('GET', '/api_keys')
    const id = keys.data.find(({ name }) => name === 'CRM')?.id
    await api.workbench('DELETE', `/api_keys/${id}`)
    const [revoked, made] = await eventsOf(api, { entity: 'api_key' })
    expect(made).toMatchObject({ action: 'create', record: { id }, key_of: { id: user.id, name: 'Ben' } })
    expect(revoked).toMatchObject({ action: 'delete', record: { id, name: 'CRM', exists: false } })
  })

  it('shows the role and the permissions that a new user has', async () => {
    const { organizationId, api } = await makeOwn()
    await makeUser(started, { organizationId, permissions: { subscriber: ['read'] } })
    const [made] = await eventsOf(api, { entity: 'user' })
    expect(made?.changes.map(({ attribute, now }) => [attribute, now])).toEqual([
      ['role', 'standard'],
      ['active', 1],
      ['permissions', JSON.stringify({ subscriber: ['read'] })]
    ])
  })

  it('shows what changed of a user: role, permissions, and that there is another password', async () => {
    const { organizationId, api } = await makeOwn()
    const permissions = { subscriber: ['read'] }
    const { id } = await makeUser(started, { organizationId, permissions })
    const changes = {
      role: 'organization_admin',
      permissions: { subscriber: ['read', 'export'] },
      password1: 'another horse',
      password2: 'another horse'
    }
    await api.put(`/users/${id}`, { user: changes })
    const [changed] = await eventsOf(api, { entity: 'user' })
    expect(changed?.changes).toEqual([
      { attribute: 'role', field: null, before: 'standard', now: 'organization_admin' },
      {
        attribute: 'permissions',
        field: null,
        before: JSON.stringify({ subscriber: ['read'] }),
        now: JSON.stringify({ subscriber: ['read', 'export'] })
      },
      { attribute: 'password', field: null, before: null, now: null }
    ])
    expect(JSON.stringify(changed)).not.toContain('horse')
  })

  it('shows which settings changed, to the System Organization', async () => {
    const { data: before } = await started.api.workbench<Record<string, unknown>>('GET', '/settings')
    const lockout = Number(before['service_user_login_lockout_duration'])
    await started.api.workbench('PUT', '/settings', {
      ...before,
      service_user_login_lockout_duration: lockout + 1
    })
    await started.api.workbench('PUT', '/settings', before)
    const [back, changed] = await eventsOf(started.api, { entity: 'settings' })
    const attribute = 'service_user_login_lockout_duration'
    expect(changed?.changes).toEqual([{ attribute, field: null, before: lockout, now: lockout + 1 }])
    expect(back?.changes).toHaveLength(1)
    await started.api.workbench('PUT', '/settings', before)
    expect((await eventsOf(started.api, { entity: 'settings' }))[0]?.id).toBe(back?.id)
  })

  it('offers no undo of what cannot be undone', async () => {
    const { api } = started
    const path = '/database_connections'
    const database_connection = { name: 'CRM', engine: 'sqlite', database: '/crm.db' }
    const { id } = expectSuccess(await api.post<{ id: number }>(path, { database_connection }))
    const changes = { database: '/shop.db' }
    expectSuccess(await api.put(`${path}/${id}`, { database_connection: changes }))
    expectSuccess(await api.delete(`${path}/${id}`))

    const events = await eventsOf(api, { entity: 'database_connection' })

    expect(events.map(({ action, undo }) => [action, undo])).toEqual([
      ['delete', null],
      ['update', null],
      ['create', null]
    ])
  })

  it('lets system administrators undo a settings change unless the setting was changed again', async () => {
    const { api } = started
    const settings = async () => (await api.workbench<Record<string, unknown>>('GET', '/settings')).data
    const before = await settings()
    const lockout = Number(before['service_user_login_lockout_duration'])
    const set = (seconds: number) =>
      api.workbench('PUT', '/settings', { ...before, service_user_login_lockout_duration: seconds })
    await set(lockout + 1)
    await set(lockout + 2)
    const [last, first] = await eventsOf(api, { entity: 'settings' })
    expect([last?.undo, first?.undo]).toEqual(['edit', 'edit'])
    const undo = async (id: number | undefined) =>
      (await api.workbench('POST', `/changes/${id ?? 0}/undo`)).error_message
    expect(await undo(first?.id)).toContain('changed again since then')
    expect(await undo(last?.id)).toBeNull()
    expect((await settings())['service_user_login_lockout_duration']).toBe(lockout + 1)
    expect(await undo(first?.id)).toBeNull()
    expect(await settings()).toEqual(before)
    const text = 'service_terms_and_conditions_text'
    await api.workbench('PUT', '/settings', { ...before, [text]: 'Be kind. '.repeat(50) })
    const [long] = await eventsOf(api, { entity: 'settings' })
    expect(await undo(long?.id)).toBe('what was changed is no longer known')
    await api.workbench('PUT', '/settings', before)
  })

  it('records when a backup is created, exported, requested for restore and deleted', async () => {
    const { data } = await started.api.workbench<{ name: string }>('POST', '/backups')
    await started.api.workbench('POST', `/backups/${data.name}/archive`)
    await started.api.workbench('POST', `/backups/${data.name}/restore`)
    await started.api.workbench('DELETE', '/backups/restore')
    await started.api.workbench('DELETE', `/backups/${data.name}`)
    const events = await eventsOf(started.api, { entity: 'backup' })
    expect(
      events.map(({ action, record, changes }) => [
        action,
        record?.name,
        changes.map((each) => each.attribute)
      ])
    ).toEqual([
      ['delete', data.name, []],
      ['update', data.name, ['restore_requested']],
      ['update', data.name, ['exported']],
      ['create', data.name, []]
    ])
  })

  it('shows what left the data on the command line, beside the application and without it', async () => {
    const { app, dataDirectory } = await startApplication()
    const folder = await temporaryDirectory()
    const backup = (...args: string[]) =>
      promisify(execFile)(process.execPath, [entryPoint, 'backup', ...args, '--data-dir', dataDirectory])
    await backup('create')
    await backup('export', join(folder, 'everything.zip'))
    await app.close()
    await backup('create', join(folder, 'copy.db'))
    await backup('import', join(folder, 'everything.zip'))
    const second = await startApplication(dataDirectory)
    const events = await eventsOf(second.api, { entity: 'backup' })
    expect(events.map(({ action, via, record }) => [action, via, record?.name])).toEqual([
      ['create', 'command_line', expect.stringMatching(/^listwright-imported-.*\.db$/)],
      ['update', 'command_line', 'copy.db'],
      ['update', 'command_line', 'everything.zip'],
      ['create', 'command_line', expect.stringMatching(/^listwright-backup-.*\.db$/)]
    ])
  })

  it('shows what was set on the command line', async () => {
    const dataDirectory = await temporaryDirectory()
    const settings = { service_disable_subscriber_deletion: true }
    const app = await createApp({ dataDirectory, port: 0, settings })
    try {
      const [set] = await eventsOf(await clientOf(app), { entity: 'settings' })
      expect(set).toMatchObject({ via: 'command_line', user: null })
    } finally {
      await app.close()
    }
  })

  it('is found by who, how, what, where and when', async () => {
    const { organizationId, api } = await makeOwn('Pacific/Auckland')
    const other = await clientOfUser(started, { organizationId, role: 'organization_admin' })
    const list = await makeList(api, { name: 'Club' })
    const field = await makeField(other, list.id, 'City', 'text')
    const second = await makeList(api, { name: 'Second' })
    const [{ user } = { user: null }] = await eventsOf(api, { entity: 'custom_field' })
    expect(await told(api, { user_id: user?.id ?? 0 })).toEqual(['create custom_field City'])
    expect(await told(api, { entity: 'mailing_list' })).toEqual([
      'create mailing_list Second',
      'create mailing_list Club'
    ])
    expect(await told(api, { entity: 'mailing_list', record_id: second.id })).toEqual([
      'create mailing_list Second'
    ])
    expect(await told(api, { entity: 'custom_field', record_id: field.id + 1 })).toEqual([])
    expect(await told(api, { mailing_list_id: list.id })).toEqual([
      'create custom_field City',
      'create mailing_list Club'
    ])
    expect(await told(api, { via: 'window' })).toEqual([])
    expect(await told(api, { via: 'api_key' })).toHaveLength(3)
    const day = (offset: number) =>
      new Intl.DateTimeFormat('sv-SE', { timeZone: 'Pacific/Auckland' }).format(
        Date.now() + offset * 86_400_000
      )
    expect(await told(api, { from: day(0), to: day(0) })).toHaveLength(3)
    expect(await told(api, { to: day(-1) })).toEqual([])
    expect(await told(api, { from: day(1) })).toEqual([])
  })

  it.each([
    [{ from: '2026-02-30' }, 'from must be a day such as 2026-01-31'],
    [{ to: '1.2.2026' }, 'to must be a day such as 2026-01-31'],
    [{ from: '2026-02-02', to: '2026-02-01' }, 'to must not come before from']
  ])('refuses %o with a sentence', async (filter, sentence) => {
    const query = new URLSearchParams(filter).toString()
    const answer = await started.api.workbench('GET', `/audit_log?${query}`)
    expect([answer.error_code, answer.error_message]).toEqual(['validation_failed', sentence])
  })

  it('belongs to an organization, and is invisible to others', async () => {
    const { api } = await makeOwn()
    await makeList(api, { name: 'Secret plans' })
    const { api: stranger } = await makeOwn()
    expect(JSON.stringify(await eventsOf(stranger))).not.toContain('Secret plans')
  })

  it('goes on page by page without a gap, and nothing twice', async () => {
    const { api } = await makeOwn()
    const names = Array.from({ length: 120 }, (_, index) => `List ${index}`)
    for (const name of names) await makeList(api, { name })
    const found: string[] = []
    let next: number | null = null
    let pages = 0
    do {
      const page: AuditPage = await pageOf(api, {
        entity: 'mailing_list',
        ...(next !== null && { before: next })
      })
      found.push(...page.events.map(({ record }) => record?.name ?? ''))
      next = page.next
      pages++
    } while (next !== null)
    expect(found).toEqual(names.toReversed())
    expect(pages).toBe(3)
  })

  it('is exported as CSV, with every change on a line', async () => {
    const { api } = await makeOwn()
    const list = await makeList(api, { name: '=Club, "old"' })
    for (const name of ['anna', 'ben']) await makeSubscriber(api, list.id, `${name}@example.com`)
    const [anna] = await allSubscribers(api, list.id)
    await api.put(`/mailing_lists/${list.id}/subscribers/${anna?.id}`, { subscriber: { status: 'bounced' } })
    const file = await api.raw('/app/v1/audit_log/csv?entity=subscriber')
    expect(file.headers.get('Content-Disposition')).toContain('audit-log.csv')
    const [head, ...lines] = (await file.text()).trim().split('\n')
    expect(head).toMatch(/^time,user,via,/)
    expect(lines).toHaveLength(3)
    expect(lines[0]).toContain(',Test,API key,test,changed,subscriber,')
    expect(lines[0]).toMatch(/,anna@example\.com,"'=Club, ""old""",,status: active → bounced$/)
  })
})

describe('groups of changes', () => {
  const row = (changes: Partial<AuditRow>): AuditRow => ({
    id: 1,
    at: 0,
    entity: 'subscriber',
    action: 'create',
    mailing_list_id: 1,
    first_id: 1,
    last_id: 1,
    via: 'api_key',
    cause_id: 1,
    user_id: 1,
    records: 1,
    ...changes
  })
  const grouped = (...rows: Partial<AuditRow>[]) => {
    const groups = new AuditGroups()
    for (const each of rows) groups.add(row(each), 100)
    return groups.all.map(({ entries, records }) => [entries, records])
  }
  const hour = 60 * 60 * 1000

  it('end where a program paused for more than an hour', () => {
    expect(grouped({ at: 2 * hour }, { at: hour, first_id: 2, last_id: 2 })).toEqual([[2, 2]])
    expect(grouped({ at: 2 * hour + 1 }, { at: hour })).toEqual([
      [1, 1],
      [1, 1]
    ])
  })

  it.each([
    ['another key', { cause_id: 2 }],
    ['another list', { mailing_list_id: 2 }],
    ['another action', { action: 'update' as const }],
    ['another kind of record', { entity: 'campaign' as const }]
  ])('end where there is %s', (_what, changes) => {
    expect(grouped({}, changes, {})).toHaveLength(3)
  })

  it('count a subscriber once, however often it was changed', () => {
    const change = { action: 'update' as const }
    const ben = { ...change, first_id: 2, last_id: 2 }
    expect(grouped(change, ben, change, ben, change)).toEqual([[5, 2]])
  })

  it('never hold deletions, each of which can be undone', () => {
    expect(grouped({ action: 'delete' }, { action: 'delete', first_id: 2, last_id: 2 })).toHaveLength(2)
  })

  it('are not made of the changes of one record', () => {
    const groups = new AuditGroups(true)
    for (let change = 0; change < 3; change++) groups.add(row({ action: 'update' }), 100)
    expect(groups.all).toHaveLength(3)
  })

  it('never hold what people do in the window', () => {
    expect(grouped({ via: 'window' }, { via: 'window' })).toHaveLength(2)
  })

  it('of a job combine alternating changes by action, and have no count if the count of one change is unknown', () => {
    const job = { via: 'subscriber_import' as const }
    const scattered = { ...job, action: 'update' as const, last_id: 90, records: 7 }
    // An earlier version did not note how many.
    const unknown = { ...job, action: 'delete' as const, last_id: 90, records: null }
    expect(
      grouped({ ...job, last_id: 10, records: 10 }, scattered, job, unknown, scattered, unknown)
    ).toEqual([
      [2, 11],
      [2, 14],
      [2, null]
    ])
  })

  it('are no more than were asked for', () => {
    const groups = new AuditGroups()
    expect([groups.add(row({ via: 'window' }), 1), groups.add(row({ via: 'window' }), 1)]).toEqual([
      true,
      false
    ])
    expect(groups.all).toHaveLength(1)
  })
})
