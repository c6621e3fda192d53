import PostalMime, { type Attachment, type Email } from 'postal-mime'

/** Header fields, their names in lower case. */
export type Fields = ReadonlyMap<string, string>

/** A message as far as it may be a report of another one. */
export interface ReportMessage {
  headers: Fields
  /** In lower case; '' without one. */
  from: string
  /** In lower case. */
  to: string[]
  subject: string
  /** What a person would read, without the message that is returned. */
  text: string
  /** The blocks of fields of its delivery status (RFC 3464), the first of which is about the message. */
  status: Fields[]
  /** The fields of a feedback report (RFC 5965); null = it is none. */
  feedback: Fields | null
  /** The header fields of the message that is returned; null = none is. */
  returned: Fields | null
}

/** Messages are read up to this size; what follows belongs to the message that is returned. In bytes. */
const mostRead = 256 * 1024
/** The longest line of a text, and the longest text, in characters: the patterns of a report take long with more. */
const [longestLine, longestText] = [1000, 32 * 1024]
/** Blocks of fields that are read: a report has one for each recipient. */
const mostBlocks = 200
/** How deep reports may be wrapped into others. */
const deepest = 3

/** Reads a message as it came (RFC 5322). It is never refused: what cannot be read is left out. */
export async function readReportMessage(raw: Buffer, depth = 0): Promise<ReportMessage> {
  const email = await parsed(withHeader(raw.subarray(0, mostRead)))
  const [text, cut] = splitAtReturned(boundedText(textOf(email) || bodyOf(raw)))
  const own: ReportMessage = {
    headers: new Map(email.headers.map(({ key, value }) => [key.toLowerCase(), value.slice(0, longestText)])),
    from: (email.from?.address ?? '').toLowerCase(),
    to: (email.to ?? []).flatMap(({ address }) => (address ? [address.toLowerCase()] : [])),
    subject: (email.subject ?? '').slice(0, longestLine),
    text,
    // Where the boundary of the parts is wrong, they are all in the text.
    status: fieldBlocks(text).filter((fields) => fields.has('final-recipient')),
    feedback: null,
    returned: cut === '' ? null : firstFields(cut)
  }
  for (const attachment of email.attachments) {
    const part = await readPart(attachment, depth)
    own.status.push(...part.status)
    own.feedback ??= part.feedback
    own.text = boundedText([own.text, part.text].filter((each) => each !== '').join('\n'))
    own.returned = part.returned ?? own.returned
  }
  own.status = own.status.slice(0, mostBlocks)
  return own
}

/** A message that is nested too deep to be read is like one without a text: no mail system reports like that. */
async function parsed(raw: Buffer): Promise<Email> {
  const options = { forceRfc822Attachments: true, attachmentEncoding: 'arraybuffer' as const }
  try {
    return await PostalMime.parse(raw, options)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return PostalMime.parse('', options)
  }
}

async function readPart(
  { mimeType, content, filename }: Attachment,
  depth: number
): Promise<Pick<ReportMessage, 'status' | 'feedback' | 'text' | 'returned'>> {
  const none = { status: [], feedback: null, text: '', returned: null }
  const text = boundedText(Buffer.from(content as ArrayBuffer).toString('utf8'))
  switch (mimeType.toLowerCase()) {
    case 'message/delivery-status':
    case 'message/global-delivery-status':
      return { ...none, status: fieldBlocks(text) }
    case 'message/feedback-report':
      return { ...none, feedback: mergedFields(fieldBlocks(text)) }
    case 'message/disposition-notification':
      return none
    case 'text/rfc822-headers':
    case 'message/rfc822-headers':
    case 'message/partial':
    case 'message/global':
    case 'message/global-headers':
      return { ...none, returned: firstFields(text) }
    case 'message/rfc822': {
      const returned = firstFields(text)
      // Gateways wrap a report into one of their own.
      if (depth >= deepest || !isReport(returned, text)) return { ...none, returned }
      return readReportMessage(Buffer.from(content as ArrayBuffer), depth + 1)
    }
    case 'text/plain':
      return /header/i.test(filename ?? '') ? { ...none, returned: firstFields(text) } : { ...none, text }
    default:
      return none
  }
}

function isReport(headers: Fields, text: string): boolean {
  if (/^[ \t-]*the following addresses had (?:permanent|delivery|fatal)/im.test(text)) return true
  const type = headers.get('content-type') ?? ''
  return (
    /report-type="?(?:delivery-status|feedback-report)/i.test(type) ||
    /mailer-daemon/i.test(headers.get('from') ?? '')
  )
}

/** Leaves out the line before the header of a message from an mbox file. */
function withHeader(raw: Buffer): Buffer {
  if (!raw.subarray(0, 5).equals(Buffer.from('From '))) return raw
  return raw.subarray(raw.indexOf('\n') + 1)
}

function boundedText(text: string): string {
  return text
    .slice(0, 4 * longestText)
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.slice(0, longestLine).trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .slice(0, longestText)
}

/** Returns all behind the header, if nothing of it could be read as parts. */
function bodyOf(raw: Buffer): string {
  const text = raw.subarray(0, mostRead).toString('utf8').replaceAll('\r\n', '\n')
  return text.slice(text.indexOf('\n\n') + 2)
}

function textOf({ text, html }: Email): string {
  if (text !== undefined && text.trim() !== '') return text
  return (html ?? '')
    .slice(0, 2 * longestText)
    .replaceAll(/<(?:style|script|title)\b[\s\S]*?<\/(?:style|script|title)>/gi, ' ')
    .replaceAll(/<(?:br|\/?p|\/?div|\/?tr|\/?li|\/?h\d)\b[^>]*>/gi, '\n')
    .replaceAll(/<[^<>@]*>/g, ' ')
    .replaceAll(/&lt;/gi, '<')
    .replaceAll(/&gt;/gi, '>')
    .replaceAll(/&nbsp;/gi, ' ')
    .replaceAll(/&(?:quot|#34);/gi, '"')
    .replaceAll(/&(?:apos|#39);/gi, "'")
    .replaceAll(/&amp;/gi, '&')
}

/** The lines with which mail systems begin the message that they return. */
const beginsReturned = new RegExp(
  [
    /^[ \t>*-]*below this line is (?:a copy|the original)[^\n]*$/,
    /^[ \t>*-]*(?:this is a copy of|the body of the message|included is a copy of|enclosed is a copy|a copy of) [^\n]*$/,
    /^[ \t>*=_-]*(?:original|returned|unsent) (?:message|mail)(?: (?:headers?|follows|text|body|was|is|details))*[ .:>*=_-]*$/,
    /^[ \t>*=_-]*(?:the )?(?:header|headers|text|beginning|start|first part) of (?:the )?(?:original|returned|unsent|your) (?:message|mail)[^\n]*$/,
    /^[ \t>*=_-]*(?:message|original)[ -]?(?:header|headers|follows|text|contents?)[ .:>*=_-]*$/,
    /^[ \t>*=_-]+(?:message header|returned message|original message|forwarded message|unsent message)[^\n]*$/,
    /^[ \t]*[>*=_-]+[ \t]*(?:undelivered|undeliverable) (?:message|mail)[ .:>*=_-]*$/,
    /^[ \t>*=_-]*(?:original message|message) follows[^\n]*$/,
    /^[ \t]*(?:return-path|received): [^\n]*\n(?:[ \t]+[^\n]*\n)*(?:[a-z-]+: )/
  ]
    .map(({ source }) => source)
    .join('|'),
  'im'
)

function splitAtReturned(text: string): [own: string, returned: string] {
  const found = beginsReturned.exec(text)
  if (!found || found.index === 0) return [text, '']
  const startsWithField = /^[ \t]*(?:return-path|received):/i.test(found[0])
  return [
    text.slice(0, found.index),
    text.slice(found.index + (startsWithField ? 0 : found[0].length)).trimStart()
  ]
}

/** Returns the fields of a header, also where lines are missing or broken. */
function firstFields(text: string): Fields {
  const [block = new Map<string, string>()] = fieldBlocks(text.replace(/^\s+/, ''))
  return block
}

function fieldBlocks(text: string): Fields[] {
  return text
    .replaceAll('\r\n', '\n')
    .split(/\n[ \t]*\n+/)
    .slice(0, mostBlocks)
    .map(fieldsIn)
    .filter(({ size }) => size > 0)
}

/** Fields that a feedback report may have several times (RFC 5965 section 3.2). */
const repeated: ReadonlySet<string> = new Set(['original-rcpt-to', 'removal-recipient'])

function fieldsIn(block: string): Fields {
  const fields = new Map<string, string>()
  for (const line of block.replaceAll(/\n[ \t]+/g, ' ').split('\n')) {
    const [, name, value] = /^\s*([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) continue
    const key = name.toLowerCase()
    const before = fields.get(key)
    if (before === undefined) fields.set(key, value.trim())
    else if (repeated.has(key)) fields.set(key, `${before}, ${value.trim()}`)
  }
  return fields
}

function mergedFields(blocks: readonly Fields[]): Fields {
  return new Map(blocks.flatMap((block) => [...block]))
}
