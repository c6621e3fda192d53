import { leaveForGood } from './composables/useUnsavedGuard.ts'

/** Between the windows of one browser, which share a session. */
const channel = new BroadcastChannel('listwright-session')

/** Of the session that this window shows; null = nobody is signed in. */
let shown: string | null = null

/**
 * Tells the other windows whose session it is. Those that show another user or organization load anew: what is done there
 * would be done elsewhere.
 * @param identity of the user and the organization; null = nobody is signed in any more
 */
export function announceSession(identity: string | null): void {
  shown = identity
  channel.postMessage(identity)
}

channel.onmessage = ({ data }: MessageEvent<string | null>) => {
  if (data !== shown) beginAnew()
}

/** Loads the window anew: nothing of another user or organization stays in its stores. */
export function beginAnew(): void {
  leaveForGood()
  window.location.assign('/')
}
