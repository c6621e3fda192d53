import { ApiFailure, signedOut } from './api/client.ts'
import { signInByLink } from './api/session.ts'

/**
 * Signs this window in with the one-time token of its address, `/?sign_in=TOKEN`, which the router then takes out of the address.
 * A link that does not work any more leaves the window as it is: signed in by an earlier one, or asking for a password.
 */
export async function redeemSignInLink(): Promise<void> {
  const token = new URLSearchParams(window.location.search).get('sign_in')
  if (token === null) return
  try {
    await signInByLink(token)
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    // The next call finds out whether an earlier session is still valid.
    signedOut.value = false
  }
}
