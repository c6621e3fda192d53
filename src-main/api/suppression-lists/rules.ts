import { emailMd5 } from '../../base/email-md5.ts'
import { emailKey, isDomain, isEmail } from '../subscribers/rules.ts'

/** docs/api.md, "Suppression lists": an address, all of a domain, or the MD5 of a lower-cased address. */
export type AddressType = 'a' | 'd' | 'm'

/** A suppressed address, domain or MD5 with its comparison key. Keys of different types never collide. */
export interface Suppressed {
  type: AddressType
  key: string
}

/** Detects the type by the form; null if it is none of the three. */
export function readSuppressed(text: string): Suppressed | null {
  const given = text.trim()
  if (/^[0-9a-f]{32}$/i.test(given)) return { type: 'm', key: given.toLowerCase() }
  if (given.startsWith('@') && isDomain(given.slice(1))) {
    return { type: 'd', key: domainKeyOf(emailKey(`postmaster${given}`)) }
  }
  return isEmail(given) ? { type: 'a', key: emailKey(given) } : null
}

/** An address, a domain or an MD5 sum as it is stored. */
export interface SuppressedRow {
  email: string
  key: string
  address_type: AddressType
}

/** @returns null if the text is none of the three forms */
export function suppressedRowOf(text: string): SuppressedRow | null {
  const suppressed = readSuppressed(text)
  return suppressed && { email: text.trim(), key: suppressed.key, address_type: suppressed.type }
}

export function suppressionKeysOf(email: string): [string, string, string] {
  const key = emailKey(email)
  return [key, domainKeyOf(key), emailMd5(email)]
}

function domainKeyOf(key: string): string {
  return key.slice(key.lastIndexOf('@'))
}
