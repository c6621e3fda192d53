import { describe, expect, it } from 'vitest'
import type { OpenWindow, Session } from '../../src-main/workbench/session/endpoints.ts'
import { makeOrganization, makeUser } from '../support/accounts.ts'
import { basic, sharedApplication } from '../support/application.ts'
import { Client } from '../support/client.ts'
import { password, SessionClient } from '../support/session-client.ts'

const started = sharedApplication()

async function programIn(organizationId: number): Promise<{ api: Client; keyId: number }> {
  const name = crypto.randomUUID()
  const key = await started.app.createApiKey(name, organizationId)
  const api = new Client(started.app.baseUrl, basic(`${organizationId}:${key}`))
  const { data } = await api.workbench<{ id: number; name: string }[]>('GET', '/api_keys')
  return { api, keyId: data.find((each) => each.name === name)?.id ?? 0 }
}

async function openedBy(api: Client): Promise<SessionClient> {
  const { data } = await api.workbench<{ address: string }>('POST', '/windows', { page: '/lists/1' })
  const window = new SessionClient(started.app)
  await window.openLink(data.address)
  return window
}

describe('a window that a program opens with its key', () => {
  it('shows the page that the program names', async () => {
    const { data } = await started.api.workbench<{ address: string }>('POST', '/windows', {
      page: '/lists/1'
    })
    expect(new URL(data.address).searchParams.get('page')).toBe('/lists/1')
    expect((await started.api.workbench('POST', '/windows', { page: 'lists' })).success).toBe(false)
    expect((await started.api.workbench('POST', '/windows', { page: '//evil.example/' })).success).toBe(false)
  })

  it('ends with the key, also when the password is changed meanwhile', async () => {
    const { api, keyId } = await programIn(1)
    const window = await openedBy(api)
    const link = (await api.workbench<{ address: string }>('POST', '/windows', { page: '/' })).data.address
    expect((await window.session()).status).toBe(200)
    const change = { password1: 'another horse', password2: 'another horse' }
    expect((await window.call('PUT', '/app/v1/session/password', change)).success).toBe(true)
    expect((await window.session()).status).toBe(200)

    await started.api.workbench('DELETE', `/api_keys/${keyId}`)

    expect((await window.session()).status).toBe(401)
    expect(await new SessionClient(started.app).openLink(link)).toMatchObject({
      error_message: 'the API key that made this link was revoked'
    })
  })

  it('ends with the key also where that window opened it', async () => {
    const { api, keyId } = await programIn(1)
    const first = await openedBy(api)
    const { data } = await first.call<{ address: string }>('POST', '/app/v1/windows', { page: '/' })
    const second = new SessionClient(started.app)
    await second.openLink(data.address)
    expect((await second.session()).data.may_switch_organization).toBe(false)
    await started.api.workbench('DELETE', `/api_keys/${keyId}`)
    expect((await second.session()).status).toBe(401)
  })

  it('keeps the organization of the key', async () => {
    const organizationId = await makeOrganization(started)
    const window = await openedBy((await programIn(organizationId)).api)
    expect((await window.session()).data).toMatchObject({
      organization: { id: organizationId },
      may_switch_organization: false
    })
    const moved = await window.call('PUT', '/app/v1/session/organization', { organization_id: 1 })
    expect(moved).toMatchObject({ status: 403, error_code: 'not_authorized' })
    expect((await window.session()).data.organization.id).toBe(organizationId)
  })

  it('outlives only keys of the command line, which end with their process', async () => {
    const { api } = await programIn(1)
    const refused = await api.workbench('POST', '/windows', { page: '/', outlives_key: true })
    expect(refused.error_code).toBe('not_authorized')
    const passing = new Client(
      started.app.baseUrl,
      basic(`1:${await started.app.createPassingApiKey('process')}`)
    )
    expect((await passing.workbench('POST', '/windows', { page: '/', outlives_key: true })).success).toBe(
      true
    )
  })
})

describe('the windows that are signed in', () => {
  async function windowsOf(window: SessionClient): Promise<OpenWindow[]> {
    return (await window.call<OpenWindow[]>('GET', '/app/v1/windows')).data
  }

  async function signedIn(settings: Record<string, unknown> = {}): Promise<SessionClient> {
    const { email } = await makeUser(started, { password1: password, password2: password, ...settings })
    const window = new SessionClient(started.app)
    await window.signIn(email)
    return window
  }

  it('are listed to standard users only if they are their own, and the current one is marked', async () => {
    const window = await signedIn()
    const { email } = (await window.session()).data.user
    const second = new SessionClient(started.app)
    await second.signIn(email)
    const listed = await windowsOf(window)
    expect(listed.map(({ is_this_window }) => is_this_window).sort()).toEqual([false, true])
    expect(new Set(listed.map(({ organization_name }) => organization_name)).size).toBe(1)
  })

  it('can be signed out one by one', async () => {
    const window = await signedIn()
    const { email } = (await window.session()).data.user
    const second = new SessionClient(started.app)
    await second.signIn(email)
    const other = (await windowsOf(window)).find(({ is_this_window }) => !is_this_window)
    expect((await window.call('DELETE', `/app/v1/windows/${other?.id}`)).success).toBe(true)
    expect((await second.session()).status).toBe(401)
    expect((await window.session()).status).toBe(200)
    expect((await window.call('DELETE', `/app/v1/windows/${other?.id}`)).error_code).toBe('not_found')
  })

  it('of other users and organizations can be signed out only by those who manage them', async () => {
    const organizationId = await makeOrganization(started)
    const admin = await signedIn({ organizationId, role: 'organization_admin' })
    const member = await signedIn({ organizationId })
    const foreign = await signedIn()
    const idOf = async (window: SessionClient): Promise<number> =>
      (await windowsOf(window)).find(({ is_this_window }) => is_this_window)?.id ?? 0
    expect((await member.call('DELETE', `/app/v1/windows/${await idOf(admin)}`)).error_code).toBe('not_found')
    expect((await admin.call('DELETE', `/app/v1/windows/${await idOf(foreign)}`)).error_code).toBe(
      'not_found'
    )
    expect((await admin.call('DELETE', `/app/v1/windows/${await idOf(member)}`)).success).toBe(true)
    expect((await member.session()).status).toBe(401)
  })

  it('may switch organizations when a system administrator signed in', async () => {
    const window = new SessionClient(started.app)
    await window.openLink(started.app.interfaceUrl())
    const { data } = await window.call<Session>('GET', '/app/v1/session')
    expect(data.may_switch_organization).toBe(true)
  })
})
