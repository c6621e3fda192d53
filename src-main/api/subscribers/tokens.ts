import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

// Tokens in messages name a subscriber, the content, and what they allow. They are signed, so that no one can
// forge them; they need no table and are valid as long as the installation exists.

/** The permission that a token gives: a token to view a message cannot unsubscribe. */
export type TokenPurpose = 'unsubscribe' | 'view' | 'open' | 'click' | 'confirm' | 'sign_up'

export interface TokenContent {
  subscriberId: number
  /** The content of the campaign or autoresponder that the token went out with; 0 when it was none. */
  sliceId: number
}

/** @param secret of this installation */
export function makeToken(
  secret: KeyObject,
  purpose: TokenPurpose,
  { subscriberId, sliceId }: TokenContent
): string {
  return `${subscriberId}-${sliceId}-${signature(secret, purpose, subscriberId, sliceId)}`
}

/** @returns what the token names, or null for one that this installation did not make for this purpose */
export function readToken(secret: KeyObject, purpose: TokenPurpose, token: string): TokenContent | null {
  const [, subscriber, slice, given = ''] =
    /^(0|[1-9]\d{0,14})-(0|[1-9]\d{0,14})-([0-9a-f]{40})$/.exec(token.trim()) ?? []
  if (subscriber === undefined || slice === undefined) return null
  const [subscriberId, sliceId] = [Number(subscriber), Number(slice)]
  const expected = signature(secret, purpose, subscriberId, sliceId)
  return timingSafeEqual(Buffer.from(given), Buffer.from(expected)) ? { subscriberId, sliceId } : null
}

/** 160 bits of the HMAC, in hex. */
function signature(secret: KeyObject, purpose: TokenPurpose, subscriberId: number, sliceId: number): string {
  return createHmac('sha256', secret)
    .update(`${purpose} ${subscriberId} ${sliceId}`)
    .digest('hex')
    .slice(0, 40)
}
