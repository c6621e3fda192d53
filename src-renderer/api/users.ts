import type { userEndpoints } from '../../src-main/api/users/endpoints.ts'
import type { User, UserChanges, UserInput } from '../../src-main/api/users/schema.ts'
import { apiCalls, type RecordVersion } from './client.ts'

export type { User, UserChanges, UserInput }

const { call } = apiCalls<typeof userEndpoints>()

/** The users of an organization, by name. @param organizationId null = the own one, for who is no system administrator */
export function fetchUsers(organizationId: number | null): Promise<User[]> {
  const query = { order_by: 'full_name' } as const
  if (organizationId === null) return call('GET /users', { query })
  return call('GET /organizations/:organization_id/users', {
    params: { organization_id: organizationId },
    query
  })
}

export function fetchUser(id: number, version?: RecordVersion): Promise<User> {
  return call('GET /users/:id', { params: { id }, version })
}

export function createUser(user: UserInput): Promise<User> {
  return call('POST /users', { body: { user } })
}

export function updateUser(id: number, user: UserChanges, version?: RecordVersion): Promise<User> {
  return call('PUT /users/:id', { params: { id }, body: { user }, version })
}

export async function deleteUser(id: number): Promise<void> {
  await call('DELETE /users/:id', { params: { id } })
}

export async function clearLockout(id: number): Promise<void> {
  await call('PUT /users/:id/reset_password_failure_lockout', { params: { id } })
}
