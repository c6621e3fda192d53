import { leaveForGood } from './stores/leaving.ts'

/** Between the windows of one browser, which share a session. */
const channel = new BroadcastChannel('listwright-session')

/** The session of this window; null = signed out. */
let shown: string | null = null

/**
 * Announces the session to other windows. Those with another user or organization reload: their actions would
 * affect the other one.
 * @param identity of the user and the organization; null = signed out
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
