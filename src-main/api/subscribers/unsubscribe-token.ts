import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * What replaces %%unsubscribe_token%% in a message: names the subscriber, and is signed, so that nobody can make one for
 * somebody else. It needs no table and holds as long as the installation.
 */
export function unsubscribeToken(secret: Buffer, subscriberId: number): string {
  return `${subscriberId}-${signature(secret, subscriberId)}`
}

/** @returns the subscriber that the token names, or null for one that this installation did not make */
export function subscriberOfToken(secret: Buffer, token: string): number | null {
  const [, id, given = ''] = /^(\d{1,15})-([0-9a-f]{40})$/.exec(token.trim()) ?? []
  if (id === undefined) return null
  const expected = signature(secret, Number(id))
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected)) ? Number(id) : null
}

/** 160 bits of the HMAC, in hex. */
function signature(secret: Buffer, subscriberId: number): string {
  return createHmac('sha256', secret).update(`unsubscribe ${subscriberId}`).digest('hex').slice(0, 40)
}
