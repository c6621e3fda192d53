import type { Organization } from '../../src-main/api/organizations/schema.ts'
import type { User } from '../../src-main/api/users/schema.ts'
import { basic, type StartedApplication } from './application.ts'
import { expectSuccess } from './builders.ts'
import { Client } from './client.ts'

let made = 0

/** Another organization than the System Organization. @returns its id */
export async function makeOrganization(
  { api, app }: Pick<StartedApplication, 'api' | 'app'>,
  settings: { name?: string; timeZone?: string; enforces?: boolean; subscriberLimit?: number } = {}
): Promise<number> {
  const { name = 'Other', timeZone = 'UTC', enforces = false, subscriberLimit = null } = settings
  const organization = { name, time_zone_name: timeZone }
  const { id } = expectSuccess(await api.post<Organization>('/organizations', { organization }))
  const admin = await systemAdminIn(app, id)
  const limits = { enforces_confirmed_opt_in: enforces, subscriber_limit: subscriberLimit }
  expectSuccess(await admin.workbench('PUT', '/organization', limits))
  return id
}

/** A program with a key of the system administrator for an organization. */
export async function systemAdminIn(app: StartedApplication['app'], organizationId: number): Promise<Client> {
  const key = await app.createApiKey('test', organizationId)
  return new Client(app.baseUrl, basic(`${organizationId}:${key}`))
}

interface UserSettings {
  organizationId?: number
  role?: User['role']
  /** key -> actions, such as { subscriber: ['read'] } */
  permissions?: Record<string, readonly string[]>
}

/** A user who may sign in, with an email of their own. */
export async function makeUser(
  { app }: Pick<StartedApplication, 'app'>,
  { organizationId = 1, ...settings }: UserSettings & Record<string, unknown> = {}
): Promise<User> {
  const admin = await systemAdminIn(app, organizationId)
  const user = {
    full_name: 'Test',
    email: `user-${++made}@example.com`,
    active: true,
    role: 'standard',
    ...settings
  }
  return expectSuccess(await admin.post<User>('/users', { user }))
}

/** A program that uses the API as this user. */
export async function clientOfUser(
  started: Pick<StartedApplication, 'app'>,
  { organizationId = 1, ...settings }: UserSettings
): Promise<Client> {
  const { id } = await makeUser(started, { organizationId, ...settings })
  const admin = await systemAdminIn(started.app, organizationId)
  const { api_key: key } = expectSuccess(
    await admin.workbench<{ api_key: string }>('POST', '/api_keys', { name: 'test', user_id: id })
  )
  return new Client(started.app.baseUrl, basic(`${organizationId}:${key}`))
}
