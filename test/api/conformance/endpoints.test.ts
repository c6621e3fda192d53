import { describe, expect, it } from 'vitest'
import { permissionActions } from '../../../src-main/http/caller.ts'
import { clientOfUser, makeOrganization, systemAdminIn } from '../../support/accounts.ts'
import { sharedApplication } from '../../support/application.ts'
import { makeList, makeRemoteList } from '../../support/builders.ts'
import type { Answer, Client } from '../../support/client.ts'
import { type Endpoint, endpoints } from './endpoints.ts'
import { differences } from './shapes.ts'

const started = sharedApplication()
const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`
const table = endpoints.map((endpoint) => [nameOf(endpoint), endpoint] as const)

type Prepared = Awaited<ReturnType<Endpoint['prepare']>>

function pathOf({ path }: Endpoint, { parameters = {}, query }: Prepared): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => String(parameters[name]))
  return query === undefined ? filled : `${filled}?${query}`
}

async function callWith(client: Client, endpoint: Endpoint, prepared: Prepared): Promise<Response> {
  return client.raw(`/ga/api/v2${pathOf(endpoint, prepared)}`, {
    method: endpoint.method,
    ...(prepared.body !== undefined && { body: JSON.stringify(prepared.body) })
  })
}

async function failureOf(response: Response): Promise<string | null> {
  const text = await response.text()
  if (!text.startsWith('{')) return null
  return (JSON.parse(text) as Answer).error_code
}

const envelopeKeys = ['success', 'data', 'error_code', 'error_message']
const pageKeys = { numbers: ['page', 'per_page', 'num_records', 'num_pages'], tokens: ['next_page_token'] }

describe('each endpoint answers the envelope with exactly the keys and types of the specification', () => {
  it.each(table)('%s', async (_name, endpoint) => {
    const prepared = await endpoint.prepare(started)
    const response = await callWith(started.api, endpoint, prepared)
    expect(response.status).toBe(200)
    if (endpoint.data === 'text') {
      expect(response.headers.get('Content-Type')).toMatch(/^(?:text|message)\//)
      return
    }
    const answer = (await response.json()) as Answer
    expect(answer).toMatchObject({ success: true, error_code: null, error_message: null })
    const pages = endpoint.pages === undefined ? [] : pageKeys.numbers
    const token = endpoint.pages === 'tokens' ? pageKeys.tokens : []
    expect(Object.keys(answer).sort()).toEqual([...envelopeKeys, ...pages, ...token].sort())
    expect(differences(answer.data, endpoint.data)).toEqual([])
    if (Array.isArray(answer.data) && !nameOf(endpoint).includes('deleted'))
      expect(answer.data).not.toEqual([])
  })
})

describe('each endpoint asks for a key', () => {
  it.each(table)('%s', async (_name, endpoint) => {
    // A caller without a key must not learn whether the record exists.
    const path = endpoint.path.replaceAll(/\{\w+\}/g, '1')
    const response = await fetch(`${started.app.baseUrl}/ga/api/v2${path}`, { method: endpoint.method })
    expect([response.status, await response.json()]).toMatchObject([
      401,
      { success: false, data: null, error_code: 'not_authorized' }
    ])
  })
})

async function usersFor(needs: string): Promise<{ may: Client; mayNot: Client }> {
  switch (needs) {
    case 'system_admin':
      return { may: started.api, mayNot: await clientOfUser(started, { role: 'organization_admin' }) }
    case 'organization_admin':
      return {
        may: await clientOfUser(started, { role: 'organization_admin' }),
        mayNot: await clientOfUser(started, { permissions: allPermissions })
      }
    default: {
      // Of several permissions one will do.
      const named = needs.split(' or ').map((each) => each.split('.') as [key: string, action: string])
      const [[key, action] = ['', '']] = named
      const others = (allPermissions[key] ?? []).filter((other) => !named.some(([, each]) => each === other))
      return {
        may: await clientOfUser(started, { permissions: { [key]: [action] } }),
        mayNot: await clientOfUser(started, { permissions: { ...allPermissions, [key]: others } })
      }
    }
  }
}

const allPermissions: Record<string, readonly string[]> = permissionActions

describe('a user needs the permission of an endpoint, and no other', () => {
  const guarded = endpoints.flatMap((endpoint) =>
    endpoint.needs === undefined ? [] : [[nameOf(endpoint), endpoint.needs, endpoint] as const]
  )
  it.each(guarded)('%s needs %s', async (_name, needs, endpoint) => {
    const { may, mayNot } = await usersFor(needs)
    const prepared = await endpoint.prepare(started)
    const refused = await callWith(mayNot, endpoint, prepared)
    expect(refused.status).toBe(403)
    expect(await failureOf(refused)).toBe('not_authorized')
    expect(await failureOf(await callWith(may, endpoint, prepared))).toBeNull()
  })

  const open = endpoints.filter(({ needs }) => needs === undefined)
  it.each(open.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
    '%s needs none',
    async (_name, endpoint) => {
      const prepared = await endpoint.prepare(started)
      const nobody = await clientOfUser(started, { permissions: {} })
      expect(await failureOf(await callWith(nobody, endpoint, prepared))).toBeNull()
    }
  )
})

describe('what a Remote List does not have is refused with invalid_request', () => {
  const refusing = endpoints.filter(({ refusesRemoteLists }) => refusesRemoteLists)
  it.each(refusing.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
    '%s',
    async (_name, endpoint) => {
      const remote = await makeRemoteList(started.api)
      const prepared = await endpoint.prepare(started)
      const response = await callWith(started.api, endpoint, {
        ...prepared,
        parameters: { ...prepared.parameters, mailing_list_id: remote.id }
      })
      expect(response.status).toBe(200)
      expect(await response.json()).toMatchObject({
        success: false,
        data: null,
        error_code: 'invalid_request',
        error_message: expect.stringContaining(`mailing list ${remote.id} is a Remote List`) as string
      })
    }
  )

  const allowing = endpoints.filter(
    ({ path, refusesRemoteLists }) => path.includes('{mailing_list_id}') && !refusesRemoteLists
  )
  it.each(
    allowing
      .filter(({ path }) => !/\{(id|campaign_id)\}|confirmed/.test(path))
      .map((endpoint) => [nameOf(endpoint), endpoint] as const)
  )('%s is available', async (_name, endpoint) => {
    const remote = await makeRemoteList(started.api)
    const prepared = await endpoint.prepare(started)
    const response = await callWith(started.api, endpoint, {
      ...prepared,
      parameters: { ...prepared.parameters, mailing_list_id: remote.id }
    })
    expect(await failureOf(response)).toBeNull()
  })
})

describe('the records of one organization are not found with a key of another', () => {
  const named = endpoints.filter(({ path, needs }) => /\{\w*id\w*\}/.test(path) && needs !== 'system_admin')

  async function expectNotFound(stranger: Client, endpoint: Endpoint, prepared: Prepared): Promise<void> {
    const response = await callWith(stranger, endpoint, prepared)
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { success: false, data: null, error_code: 'not_found' }
    ])
  }

  it.each(named.map((endpoint) => [nameOf(endpoint), endpoint] as const))('%s', async (_name, endpoint) => {
    const organizationId = await makeOrganization(started)
    const stranger = await clientOfUser(started, { organizationId, role: 'organization_admin' })
    const prepared = await endpoint.prepare(started)
    await expectNotFound(stranger, endpoint, prepared)
    // System administrators work in one organization at a time as well; of users and reports they see all.
    if (!/^\/(users|organizations)/.test(endpoint.path)) {
      await expectNotFound(await systemAdminIn(started.app, organizationId), endpoint, prepared)
    }
    // Nothing happened to the record either.
    expect(await failureOf(await callWith(started.api, endpoint, prepared))).toBeNull()
  })

  const parts = named.filter(({ path }) => /\{mailing_list_id\}.*\{\w*id\w*\}/.test(path))
  it.each(parts.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
    '%s, nor as a part of a list that the key may use',
    async (_name, endpoint) => {
      const stranger = await clientOfUser(started, {
        organizationId: await makeOrganization(started),
        role: 'organization_admin'
      })
      const own = await makeList(stranger)
      const prepared = await endpoint.prepare(started)
      const parameters = { ...prepared.parameters, mailing_list_id: own.id }
      await expectNotFound(stranger, endpoint, { ...prepared, parameters })
    }
  )
})

const roles: Record<string, string> = {
  system_admin: 'For system administrators.',
  organization_admin: 'For administrators.'
}

it('every endpoint of the API has its row here, and the reference tells who may use it', async () => {
  const response = await started.api.raw('/docs/openapi.json')
  const { paths } = (await response.json()) as {
    paths: Record<string, Record<string, { description?: string }>>
  }
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { description = '' }]) => [
      `${method.toUpperCase()} ${path.replace('/ga/api/v2', '')}`,
      description
    ])
  )
  const who = (needs = ''): string =>
    needs.includes('.') ? `Standard users need the permission ${needs}.` : (roles[needs] ?? '')
  const expected = endpoints.map((endpoint) => [nameOf(endpoint), who(endpoint.needs)])
  expect(Object.fromEntries(described)).toEqual(Object.fromEntries(expected))
})
