import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

// Tokens that name a message in its bounces: in the return path (VERP), and in a header of its own. Mail systems may change the case of an address, so
// they hold digits and lower-case letters only.

/** The message that a token names, as the journal does. */
export interface BouncedMessage {
  sliceId: number
  subscriberId: number
  number: number
}

/** The header field that holds the token, for bounces that return the message. */
export const messageHeader = 'X-Listwright-Message'

/** The longest local part of an address, in characters (RFC 5321 section 4.5.3.1.1). */
const longestLocalPart = 64

/** @param secret of this installation */
export function makeBounceToken(
  secret: KeyObject,
  { sliceId, subscriberId, number }: BouncedMessage
): string {
  const named = [sliceId, subscriberId, number].map((part) => part.toString(36)).join('-')
  return `${named}-${signature(secret, named)}`
}

/** @returns what a token names; null for one that this installation did not make */
export function readBounceToken(secret: KeyObject, token: string): BouncedMessage | null {
  const [, named, given = ''] =
    /^([0-9a-z]{1,10}-[0-9a-z]{1,10}-[0-9a-z]{1,10})-([0-9a-f]{16})$/.exec(token.trim().toLowerCase()) ?? []
  if (named === undefined || !timingSafeEqual(Buffer.from(given), Buffer.from(signature(secret, named)))) {
    return null
  }
  const [sliceId = 0, subscriberId = 0, number = 0] = named
    .split('-')
    .map((part) => Number.parseInt(part, 36))
  return { sliceId, subscriberId, number }
}

/** Returns the part of a message's Message-ID before the @: a message that is sent again keeps it. */
export function messageIdOf(secret: KeyObject, { sliceId, subscriberId, number }: BouncedMessage): string {
  const text = `message ${sliceId} ${subscriberId} ${number}`
  return createHmac('sha256', secret).update(text).digest('hex').slice(0, 32)
}

/** Returns user+token@domain; the address itself if that would be too long. */
export function withPlus(address: string, token: string): string {
  const at = address.lastIndexOf('@')
  const local = `${address.slice(0, at)}+${token}`
  return local.length > longestLocalPart ? address : local + address.slice(at)
}

/** 64 bits of the HMAC, in hex. */
function signature(secret: KeyObject, named: string): string {
  return createHmac('sha256', secret).update(`bounce ${named}`).digest('hex').slice(0, 16)
}
