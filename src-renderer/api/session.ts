import type { Session, sessionEndpoints } from '../../src-main/workbench/endpoints/session.ts'
import { windowCalls } from './client.ts'

export type { Session }

const { call } = windowCalls<typeof sessionEndpoints>()

export function fetchSession(): Promise<Session> {
  return call('GET /session')
}

export async function signIn(email: string, password: string): Promise<void> {
  await call('POST /session', { body: { email, password } })
}

export async function signOut(): Promise<void> {
  await call('DELETE /session')
}

/** Lets this window show another organization; what it shows already is of the old one. */
export async function switchOrganization(id: number): Promise<void> {
  await call('PUT /session/organization', { body: { organization_id: id } })
}

export function agreeToTerms(version: number): Promise<Session> {
  return call('PUT /session/terms', { body: { version } })
}

export interface PasswordChange {
  /** The present one; '' where there is none. */
  password: string
  password1: string
  password2: string
}

export async function changePassword(change: PasswordChange): Promise<void> {
  await call('PUT /session/password', { body: change })
}
