import type { OpenWindow, Session, sessionEndpoints } from '../../src-main/workbench/session/endpoints.ts'
import { storeSession, windowCalls } from './client.ts'

export type { OpenWindow, Session }

const { call } = windowCalls<typeof sessionEndpoints>()

export function fetchSession(): Promise<Session> {
  return call('GET /session')
}

export async function signIn(email: string, password: string): Promise<void> {
  storeSession((await call('POST /session', { body: { email, password } })).session)
}

/** Signs in with the one-time token of a link. @throws ApiFailure when it was used before or is too old */
export async function signInByLink(token: string): Promise<void> {
  storeSession((await call('POST /session/link', { body: { token } })).session)
}

export async function signOut(): Promise<void> {
  await call('DELETE /session')
  storeSession(null)
}

/** An address that can be downloaded once without the headers of a call, from an address of `Calls.address`. */
export async function downloadAddress(address: string): Promise<string> {
  return (await call('POST /tickets', { body: { address } })).address
}

/** The windows that this user may sign out, those that were used last first. */
export function fetchWindows(): Promise<OpenWindow[]> {
  return call('GET /windows')
}

/** Signs another window out. */
export async function endWindow(id: number): Promise<void> {
  await call('DELETE /windows/:id', { params: { id } })
}

/** Switches this window to another organization; the page still shows the old one. */
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
  storeSession((await call('PUT /session/password', { body: change })).session)
}
