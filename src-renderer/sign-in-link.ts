import { ApiFailure } from './api/client.ts'
import { signInByLink } from './api/session.ts'

/**
 * Signs this window in with the one-time token of its address, `/?sign_in=TOKEN`, and takes the token out of the address bar and the
 * history. A link that does not work any more leaves the window as it is: signed in by an earlier one, or asking for a password.
 */
export async function redeemSignInLink(): Promise<void> {
  const address = new URL(window.location.href)
  const token = address.searchParams.get('sign_in')
  if (token === null) return
  address.searchParams.delete('sign_in')
  try {
    await signInByLink(token)
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
  } finally {
    window.history.replaceState(window.history.state, '', address)
  }
}
