import { afterEach, describe, expect, it } from 'vitest'
import type { User } from '../../../src-main/api/users/schema.ts'
import { clientOfUser, makeOrganization, makeUser, systemAdminIn } from '../../support/accounts.ts'
import { sharedApplication } from '../../support/application.ts'
import type { Answer, Client } from '../../support/client.ts'

const started = sharedApplication()
let made = 0

/** The attributes that a new user must have, with an email of their own. */
function attributes(settings: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    full_name: 'Ada Lovelace',
    email: `ada-${++made}@example.org`,
    active: true,
    role: 'standard',
    ...settings
  }
}

function create(settings: Record<string, unknown> = {}, api: Client = started.api): Promise<Answer<User>> {
  return api.post<User>('/users', { user: attributes(settings) })
}

function change(id: number, user: Record<string, unknown>, api = started.api): Promise<Answer<User>> {
  return api.put<User>(`/users/${id}`, { user })
}

const changes = ['create', 'update', 'delete']
/** The table of the specification. */
const permissionTable = {
  mailing_list: changes,
  segmentation_criteria: changes,
  web_form: changes,
  custom_field: changes,
  'campaign/template': changes,
  seed_list: changes,
  subscriber: [...changes, 'read', 'import', 'export'],
  autoresponder: [...changes, 'update_state', 'read_stats'],
  campaign: [...changes, 'send', 'update_state', 'read_stats']
}

describe('a new user', () => {
  it('has the defaults of the specification', async () => {
    const { data } = await create({ email: 'First@Example.org' })
    expect(data).toEqual({
      id: expect.any(Number) as number,
      full_name: 'Ada Lovelace',
      email: 'First@Example.org',
      active: true,
      role: 'standard',
      show_quick_tips: true,
      default_preview_recipients: [],
      terms_and_conditions_version: null,
      default_html_editor: 'bee',
      permissions: Object.fromEntries(Object.keys(permissionTable).map((key) => [key, []])),
      password_failure_lockout: { is_locked_out: false, expires_at: null },
      time_zone: null
    })
  })

  it.each(['full_name', 'email', 'active', 'role'])('must have %s', async (name) => {
    expect(await create({ [name]: undefined })).toMatchObject({
      success: false,
      error_code: 'validation_failed',
      error_message: `${name} cannot be blank`
    })
  })

  it('is created in the current organization, for which a system administrator has a key as well', async () => {
    const organizationId = await makeOrganization(started)
    const { data } = await create({}, await systemAdminIn(started.app, organizationId))
    const { data: there } = await started.api.get<User[]>(`/organizations/${organizationId}/users`)
    expect(there.map(({ id }) => id)).toEqual([data.id])
  })

  it('never shows its password, and keeps it as a memory-hard hash', async () => {
    const password = 'correct horse battery staple'
    const answer = await create({ password1: password, password2: password })
    expect(JSON.stringify(answer)).not.toMatch(/password1|password2|scrypt|correct horse/)
  })
})

describe('full_name', () => {
  it('has at most 100 characters', async () => {
    expect((await create({ full_name: 'ä'.repeat(100) })).success).toBe(true)
    expect((await create({ full_name: 'ä'.repeat(101) })).error_message).toBe(
      'full_name must be at most 100 characters'
    )
  })
})

describe('email', () => {
  it('must be a valid address', async () => {
    expect((await create({ email: 'nobody' })).error_message).toBe(
      'email is not a valid email address: "nobody"'
    )
  })

  it('is not at an internationalized domain', async () => {
    expect((await create({ email: 'ada@bücher.example' })).error_message).toBe(
      'email must be at a domain without letters beyond a to z: "ada@bücher.example"'
    )
  })

  it('is unique across the system, whatever its letter case', async () => {
    await create({ email: 'only.one@example.org' })
    const organizationId = await makeOrganization(started)
    const answer = await create(
      { email: 'Only.One@Example.org' },
      await systemAdminIn(started.app, organizationId)
    )
    expect(answer).toMatchObject({
      error_code: 'validation_failed',
      error_message: 'email "Only.One@Example.org" is already taken by another user'
    })
  })

  it('can be kept with other letter case, and can be reused after the user is deleted', async () => {
    const { data } = await create({ email: 'again@example.org' })
    expect((await change(data.id, { email: 'Again@example.org' })).data.email).toBe('Again@example.org')
    await started.api.delete(`/users/${data.id}`)
    expect((await create({ email: 'again@example.org' })).success).toBe(true)
  })
})

describe('role', () => {
  it('is one of three', async () => {
    expect((await create({ role: 'boss' })).error_message).toBe(
      'role must be one of system_admin, organization_admin, standard'
    )
  })

  it('system_admin is only on the System Organization', async () => {
    expect((await create({ role: 'system_admin' })).success).toBe(true)
    const admin = await systemAdminIn(started.app, await makeOrganization(started))
    for (const role of ['organization_admin', 'standard']) {
      expect((await create({ role }, admin)).success).toBe(true)
    }
    const message = 'role system_admin is only for users of the System Organization'
    expect((await create({ role: 'system_admin' }, admin)).error_message).toBe(message)
    const { data } = await create({}, admin)
    expect((await change(data.id, { role: 'system_admin' })).error_message).toBe(message)
  })

  it('system_admin is not given by an administrator of the System Organization', async () => {
    const admin = await clientOfUser(started, { role: 'organization_admin' })
    const message = 'only system administrators may give the role system_admin'
    expect((await create({ role: 'system_admin' }, admin)).error_message).toBe(message)
    const { data } = await create({}, admin)
    expect((await change(data.id, { role: 'system_admin' }, admin)).error_message).toBe(message)
  })

  it('system_admin keeps other administrators from changing, deleting and making keys for the user', async () => {
    const admin = await clientOfUser(started, { role: 'organization_admin' })
    const { id } = await makeUser(started, { role: 'system_admin' })
    const refused = { status: 403, error_code: 'not_authorized' }
    const password = { password1: 'mine now', password2: 'mine now' }
    expect(await change(id, password, admin)).toMatchObject(refused)
    expect(await admin.delete(`/users/${id}`)).toMatchObject(refused)
    expect(await admin.put(`/users/${id}/reset_password_failure_lockout`, {})).toMatchObject(refused)
    expect(await admin.workbench('POST', '/api_keys', { name: 'x', user_id: id })).toMatchObject(refused)
  })
})

describe('the last active system administrator', () => {
  it('cannot be deleted, deactivated or given another role', async () => {
    const { data } = await started.api.get<User[]>('/users')
    const admins = data.filter(({ role }) => role === 'system_admin')
    const [last, ...others] = admins
    for (const { id } of others) {
      expect((await started.api.delete(`/users/${id}`)).success).toBe(true)
    }
    const refused = {
      error_code: 'validation_failed',
      error_message: expect.stringContaining('is the last active system administrator') as string
    }
    expect(await started.api.delete(`/users/${last?.id}`)).toMatchObject(refused)
    expect(await change(last?.id ?? 0, { active: false })).toMatchObject(refused)
    expect(await change(last?.id ?? 0, { role: 'organization_admin' })).toMatchObject(refused)
    expect((await change(last?.id ?? 0, { full_name: 'Root' })).data.full_name).toBe('Root')
  })
})

describe('permissions', () => {
  it('take every key and action of the table', async () => {
    const { data } = await create({ permissions: permissionTable })
    expect(data.permissions).toEqual(permissionTable)
  })

  it('are refused with a message that names the unknown ones', async () => {
    const answer = await create({ permissions: { subscriber: ['read', 'send'], coffee: ['make'] } })
    expect(answer.error_message).toBe(
      'permissions.subscriber takes create, update, delete, read, import, export, and "send" is none of them, ' +
        'permissions.coffee does not exist; there are mailing_list, segmentation_criteria, web_form, custom_field, ' +
        'campaign/template, seed_list, subscriber, autoresponder, campaign'
    )
  })

  it('are replaced as a whole, and apply from the next call on', async () => {
    const { id } = await makeUser(started, { permissions: { mailing_list: ['create'] } })
    const { data } = await started.api.workbench<{ api_key: string }>('POST', '/api_keys', {
      name: 'script',
      user_id: id
    })
    const authorization = `Basic ${Buffer.from(`1:${data.api_key}`).toString('base64')}`
    const call = async (): Promise<number> =>
      (
        await fetch(`${started.app.baseUrl}/ga/api/v2/mailing_lists`, {
          method: 'POST',
          headers: { Authorization: authorization },
          body: '{"mailing_list":{"name":"Mine"}}'
        })
      ).status
    expect(await call()).toBe(200)
    const changed = await change(id, { permissions: { seed_list: ['delete', 'create'] } })
    expect(changed.data.permissions).toMatchObject({ mailing_list: [], seed_list: ['create', 'delete'] })
    expect(await call()).toBe(403)
  })
})

describe('default_preview_recipients', () => {
  it('are at most 100 addresses, and null clears them', async () => {
    const addresses = Array.from({ length: 100 }, (_, number) => `p${number}@example.com`)
    const { data } = await create({ default_preview_recipients: addresses })
    expect(data.default_preview_recipients).toEqual(addresses)
    expect((await change(data.id, { full_name: 'Ada' })).data.default_preview_recipients).toEqual(addresses)
    const cleared = await change(data.id, { default_preview_recipients: null })
    expect(cleared.data.default_preview_recipients).toEqual([])
    const many = await create({ default_preview_recipients: [...addresses, 'one@example.com'] })
    expect(many.error_message).toBe('default_preview_recipients must have at most 100 entries')
    expect((await create({ default_preview_recipients: ['nobody'] })).error_message).toBe(
      'default_preview_recipients.0 is not a valid email address: "nobody"'
    )
  })
})

describe('default_html_editor', () => {
  it('is bee, tinymce or raw html', async () => {
    for (const default_html_editor of ['bee', 'tinymce', 'raw html']) {
      expect((await create({ default_html_editor })).data).toMatchObject({ default_html_editor })
    }
    expect((await create({ default_html_editor: 'vim' })).error_message).toBe(
      'default_html_editor must be one of bee, tinymce, raw html'
    )
  })
})

describe('time_zone', () => {
  it('is null or one of the IANA time zones', async () => {
    expect((await create({ time_zone: 'europe/zurich' })).data.time_zone).toBe('Europe/Zurich')
    expect((await create({ time_zone: 'Mars/Base' })).error_message).toMatch(/^time_zone must be one of/)
  })
})

describe('terms_and_conditions_version', () => {
  const enable = (version: number | null) =>
    started.api.workbench('PUT', '/settings', { service_terms_and_conditions_version: version })
  afterEach(() => enable(null))

  it('can be set only when the terms feature is enabled', async () => {
    const message = 'terms_and_conditions_version can be set only when the terms feature is enabled'
    expect((await create({ terms_and_conditions_version: 1 })).error_message).toBe(message)
    const { data } = await create({ terms_and_conditions_version: null })
    expect((await change(data.id, { terms_and_conditions_version: 0 })).error_message).toBe(message)
    await enable(3)
    expect((await change(data.id, { terms_and_conditions_version: 2 })).data).toMatchObject({
      terms_and_conditions_version: 2
    })
  })

  it('is null or not negative', async () => {
    await enable(3)
    const { data } = await create({ terms_and_conditions_version: 3 })
    expect(
      (await change(data.id, { terms_and_conditions_version: null })).data.terms_and_conditions_version
    ).toBeNull()
    expect((await create({ terms_and_conditions_version: -1 })).error_message).toBe(
      'terms_and_conditions_version must be at least 0'
    )
  })
})

describe('passwords', () => {
  it('are given twice, alike', async () => {
    expect((await create({ password1: 'one', password2: 'two' })).error_message).toBe(
      'password2 must be the same as password1'
    )
    expect((await create({ password1: 'one' })).error_message).toBe('password2 must be the same as password1')
    expect((await create({ password2: 'one' })).error_message).toBe(
      'password1 cannot be blank when password2 is given'
    )
  })
})

describe('the list of users', () => {
  it('is of the whole system for system administrators, of the organization for others', async () => {
    const organizationId = await makeOrganization(started)
    const standard = await clientOfUser(started, { organizationId })
    const { data: own } = await standard.get<User[]>('/users')
    expect(own).toHaveLength(1)
    const { data: all } = await started.api.get<User[]>('/users')
    expect(all.map(({ id }) => id)).toContain(own[0]?.id)
    const away = await systemAdminIn(started.app, organizationId)
    expect((await away.get<User[]>('/users')).data).toEqual(all)
  })

  it('has pages of 2000 by default', async () => {
    expect(await started.api.get('/users')).toMatchObject({ page: 0, per_page: 2000 })
    const { data, num_records: total } = await started.api.get<User[]>('/users?per_page=2&page=1')
    expect(data).toHaveLength(2)
    expect(total).toBeGreaterThan(2)
  })

  it('is filtered by full_name and email, whole or in part', async () => {
    const organizationId = await makeOrganization(started)
    const admin = await systemAdminIn(started.app, organizationId)
    for (const [full_name, email] of [
      ['Émile Zola', 'zola@filter.example'],
      ['emile Durkheim', 'Durkheim@filter.example'],
      ['50% Off_', 'off@filter.example']
    ]) {
      await create({ full_name, email }, admin)
    }
    const found = async (query: string): Promise<string[]> => {
      const { data } = await admin.get<User[]>(`/organizations/${organizationId}/users?${query}`)
      return data.map(({ email }) => email)
    }
    expect(await found('full_name=ÉMILE%20zola')).toEqual(['zola@filter.example'])
    expect(await found('full_name=zola')).toEqual([])
    expect(await found('full_name_contains=MILE')).toEqual(['zola@filter.example', 'Durkheim@filter.example'])
    expect(await found('full_name_contains=0%25%20o')).toEqual(['off@filter.example'])
    expect(await found('full_name_contains=%25')).toEqual(['off@filter.example'])
    expect(await found('email=zola@filter.example')).toEqual(['zola@filter.example'])
    expect(await found('email=zola')).toEqual([])
    expect(await found('email_contains=DURK')).toEqual(['Durkheim@filter.example'])
    expect(await found('email_contains=zo&full_name_contains=emile')).toEqual([])
    expect(await found('email=')).toHaveLength(3)
  })

  it('is ordered by id, or by full_name or email whatever their letter case', async () => {
    const organizationId = await makeOrganization(started)
    const admin = await systemAdminIn(started.app, organizationId)
    for (const [full_name, email] of [
      ['bob', 'A@order.example'],
      ['Alice', 'c@order.example'],
      ['Carol', 'B@order.example']
    ]) {
      await create({ full_name, email }, admin)
    }
    const names = async (order: string): Promise<string[]> => {
      const { data } = await admin.get<User[]>(`/organizations/${organizationId}/users${order}`)
      return data.map((user) => user.full_name)
    }
    expect(await names('')).toEqual(['bob', 'Alice', 'Carol'])
    expect(await names('?order_by=full_name')).toEqual(['Alice', 'bob', 'Carol'])
    expect(await names('?order_by=email')).toEqual(['bob', 'Carol', 'Alice'])
    expect((await admin.get('/users?order_by=age')).error_message).toBe(
      'order_by must be one of id, full_name, email'
    )
  })
})

describe('a user who is deactivated, deleted or no system administrator any more', () => {
  it('cannot use their API keys any more', async () => {
    const organizationId = await makeOrganization(started)
    const { id } = await makeUser(started, { role: 'system_admin' })
    const there = await systemAdminIn(started.app, organizationId)
    const { data } = await there.workbench<{ api_key: string }>('POST', '/api_keys', {
      name: 'away',
      user_id: id
    })
    const status = async (): Promise<number> => {
      const authorization = `Basic ${Buffer.from(`${organizationId}:${data.api_key}`).toString('base64')}`
      const headers = { Authorization: authorization }
      return (await fetch(`${started.app.baseUrl}/ga/api/v2/mailing_lists`, { headers })).status
    }
    expect(await status()).toBe(200)
    await change(id, { active: false })
    expect(await status()).toBe(401)
    await change(id, { active: true })
    expect(await status()).toBe(200)
    await change(id, { role: 'standard' })
    expect(await status()).toBe(401)
    await change(id, { role: 'system_admin' })
    expect(await status()).toBe(200)
    await started.api.delete(`/users/${id}`)
    expect(await status()).toBe(401)
  })
})
