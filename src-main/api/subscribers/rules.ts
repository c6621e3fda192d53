import { type Complaint, complaint, type Refusal, refusal } from '../../base/refusal.ts'
import { isIP } from 'node:net'
import { domainToUnicode } from 'node:url'
import type { FieldDefinition, StoredValues } from '../custom-fields/rules.ts'

/** Matches emails that can be spelled in other ways than by upper and lower case. */
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

/** A domain in the form that it has in {@link emailKey}. */
export function domainKey(domain: string): string {
  return emailKey(`a@${domain.trim()}`).slice(2)
}

/** One part of a local part between dots (docs/api.md, "Subscribers"). */
const localPart = String.raw`[A-Za-z0-9_+=%/:;?!#$&'*{}|~^\x60-]+`
const label = '[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?'
const plainAddress = new RegExp(
  String.raw`^${localPart}(?:\.${localPart})*@(?:${label}\.)+[A-Za-z0-9][A-Za-z0-9-]{0,61}[A-Za-z0-9]$`
)
/** RFC 6531: letters of every script beside ASCII, and quoted local parts. */
const internationalAddress =
  /^(?:[\p{L}\p{M}\p{N}!#$%&'*+/:;=?_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/:;=?_`{|}~-]+)*|"(?:[^"\\\p{C}]|\\[^\p{C}])*")@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.)+[\p{L}\p{N}][\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}]$/u

/** Only then can a domain have the form of an IP address. */
const endsWithDigit = /\d$/

/** Octets of each side of the @ (docs/api.md, "Subscribers"). */
const maxPart = 256

/**
 * True if the text is an email address (docs/api.md, "Subscribers"). Beyond the documentation, letters of any
 * script and quoted local parts are accepted.
 */
export function isEmail(email: string): boolean {
  const at = email.lastIndexOf('@')
  if (at > maxPart || email.length - at - 1 > maxPart) return false
  if (plainAddress.test(email)) return !endsWithDigit.test(email) || isIP(email.slice(at + 1)) === 0
  if (!internationalAddress.test(email)) return false
  return Buffer.byteLength(email.slice(0, at)) <= maxPart && Buffer.byteLength(email.slice(at + 1)) <= maxPart
}

/** True if an email address can have this domain. */
export function isDomain(domain: string): boolean {
  return isEmail(`postmaster@${domain}`)
}

/** Returns the complaint about an invalid address. */
export function emailComplaint(email: string): Complaint {
  if (email.trim() === '') return complaint('blank')
  const shown = email.length > 60 ? `${email.slice(0, 60)}…` : email
  return complaint('email_address', { email: shown })
}

/** The keys that make a subscriber unique on its list. */
export interface SubscriberKeys {
  emailKey: string
  /** The primary key's value on lists whose primary key is a custom field, else null. */
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

/**
 * Refuses a subscriber whose primary key is taken.
 * @param name of the custom field that is the key
 */
export function keyTaken(name: string): Refusal {
  return refusal('taken_key', { field: name, shown: name, name })
}

/** The two refusals of an email that is on the list already: a client compares them word for word (docs/api.md, "Subscribers"). */
export const takenEmail = [
  refusal('taken_key', { field: 'email', shown: 'Email', name: 'Email' }),
  refusal('taken_key', { field: 'email', shown: 'Email address', name: 'Email' })
] as const

/** A key of {@link alternateKeyOf} as a message shows it: without the field's id. */
export function shownKey(alternateKey: string): string {
  return alternateKey.slice(alternateKey.indexOf(':') + 1)
}
