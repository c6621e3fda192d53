import { guardedLookup, isGuardedHost } from '../base/address-guard.ts'
import { refusal } from '../base/refusal.ts'
import { ImportFailure } from '../csv/failure.ts'

function privateAddress(host: string): ImportFailure {
  return new ImportFailure(refusal('private_address', { host }))
}

/**
 * Checks what the address of a file says by itself.
 * @throws ImportFailure for anything but http and https, and for a guarded address that is written as numbers
 */
export function checkUrl(text: string, allowsPrivate: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new ImportFailure(refusal('not_web_address', { text }))
  }
  if (!allowsPrivate && isGuardedHost(url)) throw privateAddress(url.hostname.replace(/^\[|\]$/g, ''))
  return url
}

/** A DNS lookup for downloads, which refuses guarded addresses. */
export const lookupOfDownloads = guardedLookup(privateAddress)
