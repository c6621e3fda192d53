import { domainToUnicode } from 'node:url'
import type { FieldDefinition, StoredValues } from '../custom-fields/rules.ts'

/** What one mailbox can be written in several ways with, beside upper and lower case. */
const severalSpellings = /[^\x00-\x7f]|@(?:.*\.)?xn--/

/**
 * The form under which an email is unique and found: lower-cased, without surrounding white space, letters composed, and
 * an internationalized domain in Unicode even where it was given as Punycode.
 */
export function emailKey(email: string): string {
  const key = email.trim().toLowerCase()
  if (!severalSpellings.test(key)) return key
  const at = key.lastIndexOf('@') + 1
  const domain = key.slice(at)
  return (key.slice(0, at) + (domainToUnicode(domain) || domain)).normalize('NFC')
}

const plainAddress =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9][A-Za-z0-9-]{0,61}[A-Za-z0-9]$/
/** RFC 6531: any letter of any script where RFC 5321 has ASCII ones, and quoted local parts. */
const internationalAddress =
  /^(?:[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*|"(?:[^"\\\p{C}]|\\[^\p{C}])*")@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}]$/u

/** Whether mail systems take this address (RFC 5321 and 6531; lengths in octets: 64 before the @, 254 in all). */
export function isEmail(email: string): boolean {
  if (plainAddress.test(email)) return email.length <= 254 && email.indexOf('@') <= 64
  if (!internationalAddress.test(email)) return false
  const local = email.slice(0, email.lastIndexOf('@'))
  return Buffer.byteLength(local) <= 64 && Buffer.byteLength(email) <= 254
}

/** Whether an address can be at this domain. */
export function isDomain(domain: string): boolean {
  return isEmail(`postmaster@${domain}`)
}

/** The complaint about an address, as the rest of a sentence that begins with the field's name. */
export function emailComplaint(email: string): string {
  if (email.trim() === '') return 'cannot be blank'
  const shown = email.length > 60 ? `${email.slice(0, 60)}…` : email
  return `is not a valid email address: "${shown}"`
}

/** What makes a subscriber unique on its list. */
export interface SubscriberKeys {
  emailKey: string
  /** On lists whose primary key is a custom field: its value. Else null. */
  alternateKey: string | null
}

/** The keys of a subscriber; `alternateKey` is undefined when the list asks for one and the values lack it. */
export function subscriberKeys(
  primaryKeyField: FieldDefinition | undefined,
  email: string,
  values: StoredValues
): { emailKey: string; alternateKey: string | null | undefined } {
  if (!primaryKeyField) return { emailKey: emailKey(email), alternateKey: null }
  return { emailKey: emailKey(email), alternateKey: alternateKeyOf(primaryKeyField, values) }
}

/** The key of a subscriber on a list with this primary key: the field's id and the lower-cased value, "7:value". */
export function alternateKeyOf(field: FieldDefinition, values: StoredValues): string | undefined {
  const value = values[field.id]
  return value === undefined ? undefined : `${field.id}:${String(value).toLowerCase()}`
}

/** A key of {@link alternateKeyOf} as a message shows it: without the field's id. */
export function shownKey(alternateKey: string): string {
  return alternateKey.slice(alternateKey.indexOf(':') + 1)
}
