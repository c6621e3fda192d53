import type { Session } from '../../src-main/workbench/session.ts'
import { callWorkbench } from './client.ts'

export type { Session }

export function fetchSession(): Promise<Session> {
  return callWorkbench('/session')
}

export function signIn(email: string, password: string): Promise<null> {
  return callWorkbench('/session', { method: 'POST', body: { email, password } })
}

export function signOut(): Promise<null> {
  return callWorkbench('/session', { method: 'DELETE' })
}

/** Lets this window show another organization; what it shows already is of the old one. */
export function switchOrganization(id: number): Promise<null> {
  return callWorkbench('/session/organization', { method: 'PUT', body: { organization_id: id } })
}

export function agreeToTerms(version: number): Promise<Session> {
  return callWorkbench('/session/terms', { method: 'PUT', body: { version } })
}

export interface PasswordChange {
  /** The present one; '' where there is none. */
  password: string
  password1: string
  password2: string
}

export function changePassword(change: PasswordChange): Promise<null> {
  return callWorkbench('/session/password', { method: 'PUT', body: change })
}
