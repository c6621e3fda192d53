import { isSameText, targetSignature } from '../gates/keys.ts'
import type { HandedOver } from './handed-over.ts'

interface Followed {
  link: string
  token: string
  sliceId: number
  /** The target of a link whose address holds codes, which are filled in there, and its signature. */
  to?: unknown
  s?: unknown
}

/**
 * Returns where a link leads: only to what the application handed over. Codes in it were filled in by the application, which signed
 * the result; all before the first code must be as it was handed over.
 * @returns null for a link that leads nowhere
 */
export function targetOf(handedOver: HandedOver, { link, token, sliceId, to, s }: Followed): string | null {
  const links = handedOver.content(`s${sliceId}`)?.links ?? {}
  const written = Object.hasOwn(links, link) ? links[link] : undefined
  if (written === undefined) return null
  if (!written.includes('%%')) return webAddress(written)
  if (typeof to !== 'string' || typeof s !== 'string' || handedOver.linkSecret === null) return null
  const expected = targetSignature(handedOver.linkSecret, Number(link), token, to)
  const isOurs = isSameText(s, expected) && to.startsWith(written.slice(0, written.indexOf('%%')))
  return isOurs ? webAddress(to) : null
}

/** Headers hold only Latin-1: URL encodes other letters as browsers do. */
function webAddress(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  return url && ['http:', 'https:'].includes(url.protocol) ? url.href : null
}
