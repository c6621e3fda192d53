import type { User, UserChanges, UserInput } from '../../src-main/api/users/schema.ts'
import { call, callPage } from './client.ts'

export type { User, UserChanges, UserInput }

/** The users of an organization, by name. @param organizationId null = the own one, for who is no system administrator */
export async function fetchUsers(organizationId: number | null): Promise<User[]> {
  const path = organizationId === null ? '/users' : `/organizations/${organizationId}/users`
  return (await callPage<User>(`${path}?order_by=full_name`)).data
}

export function createUser(user: UserInput): Promise<User> {
  return call('/users', { method: 'POST', body: { user } })
}

export function updateUser(id: number, user: UserChanges): Promise<User> {
  return call(`/users/${id}`, { method: 'PUT', body: { user } })
}

export function deleteUser(id: number): Promise<null> {
  return call(`/users/${id}`, { method: 'DELETE' })
}

export function clearLockout(id: number): Promise<unknown> {
  return call(`/users/${id}/reset_password_failure_lockout`, { method: 'PUT', body: {} })
}
