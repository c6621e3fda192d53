import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { Passwords } from '../../src-main/api/users/passwords.ts'
import type { User } from '../../src-main/api/users/schema.ts'
import type { Settings } from '../../src-main/settings/schema.ts'
import type { Session } from '../../src-main/workbench/session/endpoints.ts'
import { createApp } from '../support/built.ts'
import { makeOrganization, makeUser } from '../support/accounts.ts'
import {
  clientOf,
  sharedApplication,
  type StartedApplication,
  temporaryDirectory
} from '../support/application.ts'
import { makeList } from '../support/builders.ts'
import { password, SessionClient } from '../support/session-client.ts'

const started = sharedApplication()
function makeUserWithPassword(settings: Record<string, unknown> = {}): Promise<User> {
  return makeUser(started, { password1: password, password2: password, ...settings })
}

async function firstWindow(): Promise<SessionClient> {
  const window = new SessionClient(started.app)
  await window.openLink(started.app.interfaceUrl())
  return window
}

async function set(settings: Partial<Settings>): Promise<void> {
  expect((await started.api.workbench('PUT', '/settings', settings)).success).toBe(true)
}

describe('signing in with email and password', () => {
  it('answers a session for the header of the window, and sets no cookie', async () => {
    const window = new SessionClient(started.app)
    const { headers, data } = await window.signIn((await makeUserWithPassword()).email)
    expect(headers.get('Set-Cookie')).toBeNull()
    expect(data).toEqual({ session: expect.stringMatching(/^[0-9a-f]{64}$/) as string })
  })

  it('opens a session of the user in their organization', async () => {
    const organizationId = await makeOrganization(started, { name: 'Acme', timeZone: 'Europe/Zurich' })
    const { email, id } = await makeUserWithPassword({ organizationId })
    const window = new SessionClient(started.app)
    expect((await window.session()).status).toBe(401)
    expect((await window.signIn(email.toUpperCase())).success).toBe(true)
    expect((await window.session()).data).toMatchObject({
      user: { id, email, role: 'standard' },
      organization: { id: organizationId, name: 'Acme' },
      time_zone: 'Europe/Zurich',
      has_password: true,
      terms: null
    })
  })

  it('says the same of a wrong password, an unknown email, no password, and a user who may not sign in', async () => {
    const refused = {
      success: false,
      error_code: 'validation_failed',
      error_message: expect.stringMatching(
        /^email or password is wrong, or the user is not allowed to sign in/
      ) as string
    }
    const window = new SessionClient(started.app)
    const { email } = await makeUserWithPassword()
    expect(await window.signIn(email, 'wrong')).toMatchObject(refused)
    expect(await window.signIn('nobody@example.com')).toMatchObject(refused)
    expect(await window.signIn((await makeUser(started)).email, '')).toMatchObject(refused)
    const inactive = await makeUserWithPassword({ active: false })
    expect(await window.signIn(inactive.email)).toMatchObject(refused)
    expect((await window.session()).status).toBe(401)
  })

  it('ends with signing out', async () => {
    const window = new SessionClient(started.app)
    await window.signIn((await makeUserWithPassword()).email)
    const ended = await window.call('DELETE', '/app/v1/session')
    expect(ended.success).toBe(true)
    expect((await window.session()).status).toBe(401)
  })

  it('is not asked of programs, which have keys', async () => {
    expect(await started.api.workbench('DELETE', '/session')).toMatchObject({ error_code: 'invalid_request' })
  })
})

it('the windows of a user who is deactivated end', async () => {
  const { id, email } = await makeUserWithPassword()
  const window = new SessionClient(started.app)
  await window.signIn(email)
  expect((await window.session()).status).toBe(200)
  await started.api.put(`/users/${id}`, { user: { active: false } })
  expect((await window.session()).status).toBe(401)
  await started.api.put(`/users/${id}`, { user: { active: true } })
  expect((await window.session()).status).toBe(401)
})

it('expired windows are signed out, and deleted at the next sign-in', async () => {
  const { email } = await makeUserWithPassword()
  const window = new SessionClient(started.app)
  await window.signIn(email)
  const database = new SQLite(join(started.dataDirectory, 'listwright.db'))
  onTestFinished(() => void database.close())
  const count = database.prepare<[], number>('SELECT count(*) FROM window_sessions').pluck()
  const before = count.get() ?? 0
  database
    .prepare(
      'UPDATE window_sessions SET expires_at = ? WHERE created_at = (SELECT max(created_at) FROM window_sessions)'
    )
    .run(Date.now() - 1)
  expect((await window.session()).status).toBe(401)
  expect(count.get()).toBe(before)
  await new SessionClient(started.app).signIn(email)
  expect(count.get()).toBe(before)
})

describe('passwords that take a while to check', () => {
  /**
   * An application whose passwords cost an eighth of the default: enough for calls to wait for each other.
   */
  async function startCostly(): Promise<StartedApplication> {
    const dataDirectory = await temporaryDirectory()
    const app = await createApp({ dataDirectory, port: 0, passwordCost: { N: 2 ** 14, r: 8, p: 1 } })
    onTestFinished(() => app.close())
    return { app, api: await clientOf(app), dataDirectory }
  }

  it('are refused beyond a number, and delay no one else', async () => {
    const { app } = await startCostly()
    let checked = 0
    const answers = Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const answer = await new SessionClient(app).signIn(`nobody${n}@example.com`)
        if (answer.status !== 429) checked++
        return answer
      })
    )
    const page = await fetch(`${app.baseUrl}/`)
    expect(page.status).toBe(200)
    await page.text()
    // All of them in the threads that read files let the page wait for all.
    expect(checked).toBeLessThan(16)
    const refused = (await answers).filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThanOrEqual(30)
    expect(refused[0]).toMatchObject({ success: false, error_code: 'requested_too_many' })
  })

  it('do not count as wrong if they were not checked', async () => {
    const passwords = new Passwords({ N: 2 ** 14, r: 8, p: 1 })
    let tried = 0
    const check = () =>
      passwords.isRight('a guess', null, () => {
        tried++
        return Promise.resolve(true)
      })
    // All at once, so that none is done before the last is refused.
    const answers = await Promise.allSettled(Array.from({ length: 22 }, check))
    const refused = answers.filter(({ status }) => status === 'rejected')
    // One takes a third of a second until another time was measured: six are two seconds.
    expect(refused).toHaveLength(16)
    expect(tried).toBe(answers.length - refused.length)
    await check()
    expect(tried).toBe(7)
  })
})

it('a password has at least eight characters', async () => {
  const make = (password1: string) =>
    started.api.post('/users', {
      user: {
        full_name: 'A',
        email: `${Math.random()}@example.com`,
        active: true,
        role: 'standard',
        password1,
        password2: password1
      }
    })
  expect((await make('1234567')).error_message).toBe('password1 must be at least 8 characters')
  expect((await make('12345678')).success).toBe(true)
})

describe('five wrong passwords in a row', () => {
  afterEach(() => set({ service_user_login_lockout_duration: 900 }))

  async function lockOut(): Promise<User> {
    const user = await makeUserWithPassword()
    await Promise.all(
      Array.from({ length: 5 }, () => new SessionClient(started.app).signIn(user.email, 'wrong'))
    )
    return user
  }

  const lockoutOf = async (id: number): Promise<User['password_failure_lockout']> =>
    (await started.api.get<User>(`/users/${id}`)).data.password_failure_lockout

  it('lock a user out for the time of the directive, the right password included', async () => {
    const before = Date.now()
    const { id, email } = await lockOut()
    const { is_locked_out, expires_at } = await lockoutOf(id)
    expect(is_locked_out).toBe(true)
    const seconds = (Date.parse(expires_at ?? '') - before) / 1000
    expect(seconds).toBeGreaterThan(890)
    expect(seconds).toBeLessThan(960)
    const answer = await new SessionClient(started.app).signIn(email)
    expect(answer.error_message).toMatch(/After 5 wrong passwords in a row, a user is temporarily locked out/)
  })

  it('are forgotten with a right one', async () => {
    const { id, email } = await makeUserWithPassword()
    const window = new SessionClient(started.app)
    await Promise.all(Array.from({ length: 4 }, () => new SessionClient(started.app).signIn(email, 'wrong')))
    expect((await window.signIn(email)).success).toBe(true)
    await window.signIn(email, 'wrong')
    expect((await lockoutOf(id)).is_locked_out).toBe(false)
  })

  it('lock no user out when the directive is 0', async () => {
    await set({ service_user_login_lockout_duration: 0 })
    const { id, email } = await lockOut()
    expect(await lockoutOf(id)).toEqual({ is_locked_out: false, expires_at: null })
    expect((await new SessionClient(started.app).signIn(email)).success).toBe(true)
  })

  it('are not more when they are tried at once', async () => {
    const { email } = await makeUserWithPassword()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => new SessionClient(started.app).signIn(email, 'wrong'))
    )
    // Of all eight the answer is the same; the right password is one too many from the sixth attempt on.
    expect(new Set(answers.map(({ error_message: message }) => message)).size).toBe(1)
    expect((await new SessionClient(started.app).signIn(email)).success).toBe(false)
  })

  it('expire after the duration of a lockout', async () => {
    const { id, email } = await makeUserWithPassword()
    for (let wrong = 0; wrong < 4; wrong++) await new SessionClient(started.app).signIn(email, 'wrong')
    const database = new SQLite(join(started.dataDirectory, 'listwright.db'))
    database.prepare('UPDATE users SET password_failed_at = password_failed_at - 900000 WHERE id = ?').run(id)
    database.close()
    await new SessionClient(started.app).signIn(email, 'wrong')
    expect((await lockoutOf(id)).is_locked_out).toBe(false)
    expect((await new SessionClient(started.app).signIn(email)).success).toBe(true)
  })

  it('of an unknown user are answered with the same words', async () => {
    const { email } = await lockOut()
    const locked = await new SessionClient(started.app).signIn(email)
    const nobody = await new SessionClient(started.app).signIn('nobody@example.com')
    expect(locked.error_message).toBe(nobody.error_message)
  })

  it('are cleared by an administrator, and never kept API keys from working', async () => {
    const { id, email } = await lockOut()
    const { data } = await started.api.workbench<{ api_key: string }>('POST', '/api_keys', {
      name: 'script',
      user_id: id
    })
    const headers = { Authorization: `Basic ${Buffer.from(`1:${data.api_key}`).toString('base64')}` }
    expect((await fetch(`${started.app.baseUrl}/ga/api/v2/users`, { headers })).status).toBe(200)
    const reset = () => started.api.put<{ result: string }>(`/users/${id}/reset_password_failure_lockout`, {})
    expect((await reset()).data).toEqual({ result: 'lockout_cleared' })
    expect((await reset()).data).toEqual({ result: 'not_locked_out' })
    expect((await new SessionClient(started.app).signIn(email)).success).toBe(true)
  })
})

describe('the organization of a window', () => {
  it('is switched by system administrators, and holds for every later call', async () => {
    const organizationId = await makeOrganization(started, { name: 'Globex' })
    await makeList(started.api, { name: 'Only ours' })
    const window = await firstWindow()
    expect(await window.lists()).toContain('Only ours')
    const switchTo = (id: number) =>
      window.call('PUT', '/app/v1/session/organization', { organization_id: id })
    expect((await switchTo(organizationId)).success).toBe(true)
    expect((await window.session()).data).toMatchObject({
      user: { role: 'system_admin' },
      organization: { id: organizationId, name: 'Globex' }
    })
    expect(await window.lists()).toEqual([])
    expect(await switchTo(99_999)).toMatchObject({ error_code: 'not_found' })
    expect((await window.session()).data.organization.id).toBe(organizationId)
  })

  it('is that of the user for all others', async () => {
    const window = new SessionClient(started.app)
    await window.signIn((await makeUserWithPassword({ role: 'organization_admin' })).email)
    const organizationId = await makeOrganization(started)
    expect(
      await window.call('PUT', '/app/v1/session/organization', { organization_id: organizationId })
    ).toMatchObject({ status: 403, error_code: 'not_authorized' })
  })
})

describe('the own password', () => {
  it('is changed with the present one, and signs the other windows out', async () => {
    const { email } = await makeUserWithPassword()
    const [window, other] = [new SessionClient(started.app), new SessionClient(started.app)]
    await window.signIn(email)
    await other.signIn(email)
    const changed = { password1: 'new horse', password2: 'new horse' }
    expect((await window.call('PUT', '/app/v1/session/password', changed)).error_message).toMatch(
      /^password is wrong/
    )
    expect((await window.call('PUT', '/app/v1/session/password', { ...changed, password })).success).toBe(
      true
    )
    expect((await window.session()).status).toBe(200)
    expect((await other.session()).status).toBe(401)
    expect((await new SessionClient(started.app).signIn(email)).success).toBe(false)
    expect((await new SessionClient(started.app).signIn(email, 'new horse')).success).toBe(true)
  })

  it('can be set for the first time without the current password', async () => {
    const window = await firstWindow()
    expect((await window.session()).data.has_password).toBe(false)
    const given = { password1: 'first horse', password2: 'first horse' }
    expect((await window.call('PUT', '/app/v1/session/password', given)).success).toBe(true)
    expect((await window.session()).data.has_password).toBe(true)
  })
})

describe('a user is made to agree to the terms', () => {
  afterEach(() =>
    set({
      service_terms_and_conditions_version: null,
      service_terms_and_conditions_require_on_updates: false
    })
  )
  const text = 'Be kind.'

  async function windowOf(settings: Record<string, unknown>): Promise<SessionClient> {
    const window = new SessionClient(started.app)
    await window.signIn((await makeUserWithPassword(settings)).email)
    return window
  }

  it('when their version is null, and not again once they did', async () => {
    await set({ service_terms_and_conditions_version: 2, service_terms_and_conditions_text: text })
    const window = await windowOf({})
    expect((await window.session()).data.terms).toEqual({ version: 2, text })
    expect((await window.call('PUT', '/app/v1/session/terms', { version: 1 })).error_message).toBe(
      'version must be that of the terms, which is 2'
    )
    const agreed = await window.call<Session>('PUT', '/app/v1/session/terms', { version: 2 })
    expect(agreed.data).toMatchObject({ terms: null, user: { terms_and_conditions_version: 2 } })
  })

  it('when their version is below the current one, if Require on Updates is set', async () => {
    await set({ service_terms_and_conditions_version: 2, service_terms_and_conditions_text: text })
    const window = await windowOf({ terms_and_conditions_version: 1 })
    expect((await window.session()).data.terms).toBeNull()
    await set({ service_terms_and_conditions_require_on_updates: true })
    expect((await window.session()).data.terms).toEqual({ version: 2, text })
  })

  it('once, and is refused everything else until then', async () => {
    const window = await windowOf({})
    await set({ service_terms_and_conditions_version: 2, service_terms_and_conditions_text: text })
    for (const path of ['/ga/api/v2/mailing_lists', '/app/v1/api_keys', '/app/v1/campaigns']) {
      const refused = await window.call('GET', path)
      expect(refused).toMatchObject({ status: 403, error_code: 'not_authorized' })
      expect(refused.error_message).toBe('agree to the terms and conditions first')
    }
    await window.call('PUT', '/app/v1/session/terms', { version: 2 })
    expect((await window.call('GET', '/ga/api/v2/mailing_lists')).success).toBe(true)
    await set({ service_terms_and_conditions_version: 3 })
    // Another version is asked for only when updates are to be agreed to.
    expect((await window.call('GET', '/ga/api/v2/mailing_lists')).success).toBe(true)
  })

  it('unless the user is a system administrator or the terms feature is off', async () => {
    const window = await windowOf({})
    expect((await window.session()).data.terms).toBeNull()
    await set({ service_terms_and_conditions_version: 2 })
    expect((await (await windowOf({ role: 'system_admin' })).session()).data.terms).toBeNull()
  })
})
