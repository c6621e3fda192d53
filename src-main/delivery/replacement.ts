import { createHash } from 'node:crypto'
import { type FieldDefinition, presentValue, type StoredValues } from '../api/custom-fields/rules.ts'
import { isRemoteId } from '../api/remote-lists/recipient-ids.ts'
import { replacementKey } from '../api/autoresponders/rules.ts'
import { codeKey, codePattern, type CodeFallback, fallbackOf } from '../api/campaigns/replacement-codes.ts'
import { dayIn } from '../base/dates.ts'
import { wallClock } from '../base/times.ts'
import { attributesIn } from './markup.ts'

// Replacement codes in contents (docs/api.md, "Replacement codes"): a text is compiled once and written for each recipient.

/** The context of a code in a message, which decides how its value is encoded. */
type Place = 'html' | 'url in html' | 'text' | 'url in text'

interface Code {
  /** As written in the content; kept for unknown codes. */
  source: string
  /** In lower case, white space as underscores. */
  key: string
  /** Used where nothing has the whole name as its key. */
  fallback: CodeFallback | null
  place: Place
  /** True if `:raw` turns encoding off. */
  raw: boolean
}

/** A content ready to be written: what stands between the codes, and the codes. */
export type CompiledText = readonly (string | Code)[]

const apiPrefix = 'api:'

/** Cuts a content at its codes, in a time that grows with its length. */
export function compile(source: string, kind: 'html' | 'text'): CompiledText {
  const text = kind === 'html' ? quoteAttributes(source) : source
  const parts: (string | Code)[] = []
  const isInLink = kind === 'html' ? linksOfHtml(text) : linksOfText(text)
  let end = 0
  for (const match of text.matchAll(codePattern)) {
    const [code, name = '', raw] = match
    parts.push(text.slice(end, match.index))
    const place: Place = isInLink(match.index) ? `url in ${kind}` : kind
    const fallback = fallbackOf(name)
    parts.push({ source: code, key: codeKey(name), fallback, place, raw: raw !== undefined })
    end = match.index + code.length
  }
  parts.push(text.slice(end))
  return parts.filter((part) => part !== '')
}

const endOfPlainValue = /[\s>]/g

/**
 * Puts quotes around attributes that have none and hold a code: a value with a space would end the attribute, and what follows would be
 * attributes of its own.
 */
function quoteAttributes(html: string): string {
  const codes = [...html.matchAll(codePattern)].map(({ index, 0: code }) => ({
    start: index,
    end: index + code.length
  }))
  if (codes.length === 0) return html
  const parts: string[] = []
  let done = 0
  let at = 0
  for (const { start, end, quote } of attributesIn(html)) {
    if (quote !== '' || start < done) continue
    while ((codes[at]?.end ?? Infinity) <= start) at++
    const first = codes[at]
    if (!first || first.start >= end) continue
    // A code may contain a space, which would otherwise end the unquoted value.
    let valueEnd = end
    for (let inside = at; (codes[inside]?.start ?? Infinity) < valueEnd; inside++) {
      endOfPlainValue.lastIndex = Math.max(valueEnd, codes[inside]?.end ?? 0)
      if ((codes[inside]?.end ?? 0) > valueEnd) valueEnd = endOfPlainValue.exec(html)?.index ?? html.length
    }
    const value = html.slice(start, valueEnd).replaceAll('"', '&quot;')
    parts.push(html.slice(done, start), `"${value}"`)
    done = valueEnd
  }
  return parts.join('') + html.slice(done)
}

/** True if a link began before a position; positions must ascend. */
type LinkFinder = (position: number) => boolean

const linkAttributes = ['href', 'src', 'action']

function linksOfHtml(html: string): LinkFinder {
  const values = attributesIn(html)
  let next = values.next()
  return (position) => {
    while (!next.done && (next.value.end <= position || !linkAttributes.includes(next.value.name))) {
      next = values.next()
    }
    return !next.done && next.value.start < position
  }
}

const urlOrSpace = /\s|\bhttps?:\/\//gi

function linksOfText(text: string): LinkFinder {
  const marks = text.matchAll(urlOrSpace)
  let next = marks.next()
  let start = Infinity
  return (position) => {
    for (; !next.done && next.value.index < position; next = marks.next()) {
      const [mark] = next.value
      if (mark.trim() === '') start = Infinity
      else start = Math.min(start, next.value.index + mark.length)
    }
    return start < position
  }
}

interface Value {
  text: string
  /** True = encode the value in HTML and in links; default: true. */
  htmlEncode?: boolean
  urlEncode?: boolean
  /** True if line breaks become those of HTML. */
  htmlNewlines?: boolean
}

/** The values that all recipients of a campaign share. */
export interface SharedValues {
  campaign: { id: number; name: string }
  list: { id: number; name: string }
  sender: {
    from_email: string | null
    from_name: string | null
    sender_email: string | null
    reply_to: string | null
  }
  fields: readonly FieldDefinition[]
  timeZone: string
  /** True for a Remote List: its messages have no web version (docs/api.md, "Remote Lists"). */
  isRemote: boolean
}

/** A recipient as far as codes speak of them. */
export interface Recipient {
  id: number
  email: string
  /** Of a Remote List's recipient; null = they have none. */
  distinct_id?: number | null
  subscribe_time: number
  subscribe_ip: string | null
  values: StoredValues
  links: {
    unsubscribe: string
    webVersion: string
    unsubscribeToken: string
  }
  /** Returns the values of the codes that the delivery itself adds to count opens and clicks. */
  tracked?: (key: string) => string | undefined
  /** content_replacement_fields, by {@link replacementKey}; they win over a custom field of the same name. */
  replacements?: ReadonlyMap<string, string>
}

type Lookup = (recipient: Recipient) => Value

/** key -> what to write for it */
export type Codes = ReadonlyMap<string, Lookup>

/** The codes of a campaign, by key. @param now for the current year, in UNIX milliseconds */
export function codesOf(shared: SharedValues, now: number): Codes {
  const { campaign, list, sender, timeZone } = shared
  const constant = (text: string | null): Lookup => {
    const value = { text: text ?? '' }
    return () => value
  }
  const codes = new Map<string, Lookup>()
  for (const field of shared.fields) {
    codes.set(replacementKey(field.name), ({ values }) => fieldValue(field, values))
  }
  // Built-in names take precedence over custom fields with the same name.
  const own: Record<string, Lookup> = {
    subscriber_id: ({ id, distinct_id }) => ({
      text: isRemoteId(id) ? String(distinct_id ?? '') : String(id)
    }),
    subscribers_email_address: ({ email }) => ({ text: email }),
    emailaddress_md5: ({ email }) => ({ text: md5(email.toLowerCase()) }),
    mailing_list_id: constant(String(list.id)),
    mailing_list_name: constant(list.name),
    unsubscribe_link: ({ links }) => ({ text: links.unsubscribe, urlEncode: false }),
    unsubscribe_token: ({ links }) => ({ text: links.unsubscribeToken }),
    link_to_web_version: ({ links }) => ({ text: links.webVersion, urlEncode: false }),
    data_campaign_id: constant(String(campaign.id)),
    campaign_id: constant(String(campaign.id)),
    data_campaign_name: constant(campaign.name),
    data_current_year: constant(String(wallClock(now, timeZone).year)),
    data_percent: constant('%'),
    data_from_email: constant(sender.from_email),
    data_from_name: constant(sender.from_name),
    data_sender_email: constant(sender.sender_email),
    data_reply_to_email: constant(sender.reply_to),
    data_subscribe_date_long: subscribeDate((time) => longDate(time, timeZone)),
    data_subscribe_date_database: subscribeDate((time) => dayIn(time, timeZone)),
    data_subscribe_ip: ({ subscribe_ip }) => ({ text: subscribe_ip ?? '' })
  }
  for (const [key, lookup] of Object.entries(own)) {
    if (!(shared.isRemote && key === 'link_to_web_version')) codes.set(key, lookup)
  }
  return codes
}

/** When a Remote List's recipient subscribed is known to its database alone. */
function subscribeDate(write: (time: number) => string): Lookup {
  return ({ id, subscribe_time }) => ({ text: isRemoteId(id) ? '' : write(subscribe_time) })
}

/** Writes a content for one recipient. An unknown code stays visible. */
export function writeContent(text: CompiledText, codes: Codes, recipient: Recipient): string {
  return text.map((part) => (typeof part === 'string' ? part : writeCode(part, codes, recipient))).join('')
}

/** The codes of a content that mean nothing, as they stand in it. */
export function unknownCodes(text: CompiledText, codes: Codes): string[] {
  return text.flatMap((part) =>
    typeof part === 'string' || [part.key, part.fallback?.key].some((key) => isKnown(key, codes))
      ? []
      : [part.source]
  )
}

/** The codes of a content that a recipient has no value for, as they stand in it; also those with a fallback. */
export function blankCodes(
  text: CompiledText,
  codes: Codes,
  recipient: Recipient
): { source: string; hasFallback: boolean }[] {
  return text.flatMap((part) => {
    if (typeof part === 'string') return []
    const isWhole = part.fallback === null || codes.has(part.key)
    const value = valueOf(isWhole ? part.key : (part.fallback?.key ?? part.key), codes, recipient)
    return value?.text.trim() === '' ? [{ source: part.source, hasFallback: !isWhole }] : []
  })
}

function isKnown(key: string | undefined, codes: Codes): boolean {
  return key !== undefined && (key.startsWith(apiPrefix) || codes.has(key))
}

function writeCode(code: Code, codes: Codes, recipient: Recipient): string {
  const value = valueOrFallback(code, codes, recipient)
  if (!value) return code.source
  return code.raw ? value.text : encode(value, code.place)
}

function valueOrFallback({ key, fallback }: Code, codes: Codes, recipient: Recipient): Value | undefined {
  // A field whose own name contains a bar.
  if (!fallback || codes.has(key)) return valueOf(key, codes, recipient)
  const value = valueOf(fallback.key, codes, recipient)
  return value?.text.trim() === '' ? { text: fallback.text } : value
}

function valueOf(key: string, codes: Codes, recipient: Recipient): Value | undefined {
  const isApi = key.startsWith(apiPrefix)
  const given = recipient.replacements?.get(isApi ? key.slice(apiPrefix.length) : key)
  if (given !== undefined) return { text: given }
  const tracked = recipient.tracked?.(key)
  if (tracked !== undefined) return { text: tracked, urlEncode: false }
  // A key without a value in this message is blank, like a custom field without a value.
  return isApi ? { text: '' } : codes.get(key)?.(recipient)
}

function encode(
  { text, htmlEncode = true, urlEncode = true, htmlNewlines = false }: Value,
  place: Place
): string {
  switch (place) {
    case 'text':
      return text
    case 'url in text':
      return urlEncode ? encodeURIComponent(text) : text
    case 'url in html':
      return urlEncode ? encodeURIComponent(text) : escapeHtml(text)
    case 'html': {
      const escaped = htmlEncode ? escapeHtml(text) : text
      return htmlNewlines ? escaped.replaceAll(/\r\n?|\n/g, '<br>\n') : escaped
    }
  }
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;'
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** docs/api.md, "Custom fields": texts say themselves how they are interpolated. */
function fieldValue(field: FieldDefinition, values: StoredValues): Value {
  const shown = presentValue(field, values[field.id]) as string[] | string | number | boolean | null
  const text = Array.isArray(shown) ? shown.join(', ') : shown === null ? '' : String(shown)
  const { interpolation_html_encode, interpolation_url_encode, interpolation_html_newlines } =
    field.attributes
  return {
    text,
    htmlEncode: interpolation_html_encode ?? true,
    urlEncode: interpolation_url_encode ?? true,
    htmlNewlines: field.type === 'text_multiline' && (interpolation_html_newlines ?? true)
  }
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex')
}

const monthNames = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December'
]

/** December 5, 2015 */
function longDate(ms: number, timeZone: string): string {
  const { year, month, day } = wallClock(ms, timeZone)
  return `${monthNames[month - 1]} ${day}, ${year}`
}
