import { createHash, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'

/** A key that signs messages of a domain. */
export interface DkimSigner {
  domain: string
  selector: string
  privateKey: KeyObject
}

/** The header fields that a signature covers, where a message has them. */
const signedFields = [
  'From',
  'Sender',
  'Reply-To',
  'To',
  'Subject',
  'Date',
  'Message-ID',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding'
]

// With a callback, Node signs in its thread pool: an RSA signature takes longer than all else of a message.
const signInPool = promisify(sign)

/**
 * Signs a message (RFC 6376) with RSA and SHA-256, canonicalized as relaxed/relaxed.
 * @param content RFC 5322, with CRLF
 * @param now UNIX milliseconds
 * @returns the message with a DKIM-Signature before all other header fields
 */
export async function signMessage(
  content: Buffer,
  { domain, selector, privateKey }: DkimSigner,
  now: number
): Promise<Buffer> {
  // Latin-1 keeps each byte as it is.
  const text = content.toString('latin1')
  const headerEnd = text.indexOf('\r\n\r\n')
  const fields = fieldsIn(text.slice(0, headerEnd))
  const bodyHash = createHash('sha256')
    .update(relaxedBody(text.slice(headerEnd + 4)), 'latin1')
    .digest('base64')
  const covered = signedFields.flatMap((name) => fieldsNamed(fields, name.toLowerCase()))
  const names = covered.map(({ name }) => name)
  // One From more than there is: a second one that is added later breaks the signature.
  const tags = [
    `v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain}; s=${selector};`,
    `t=${Math.floor(now / 1000)}; h=${foldNames(['from', ...names])};`,
    `bh=${bodyHash};`
  ].join('\r\n ')
  const unsigned = { name: 'dkim-signature', value: ` ${tags}\r\n b=` }
  const data = [...covered.map((field) => `${relaxedField(field)}\r\n`), relaxedField(unsigned)].join('')
  const signature = await signInPool('sha256', Buffer.from(data, 'latin1'), privateKey)
  const lines = signature.toString('base64').match(/.{1,72}/g) ?? []
  const header = `DKIM-Signature:${unsigned.value}${lines.join('\r\n  ')}\r\n`
  return Buffer.concat([Buffer.from(header, 'latin1'), content])
}

interface Field {
  /** In lower case. */
  name: string
  /** With the space after the colon and the line breaks of folding. */
  value: string
}

function fieldsIn(header: string): Field[] {
  return header.split(/\r\n(?![ \t])/).map((line) => {
    const colon = line.indexOf(':')
    return { name: line.slice(0, colon).trim().toLowerCase(), value: line.slice(colon + 1) }
  })
}

/** The last one first, as verifiers take them (RFC 6376 section 5.4.2). */
function fieldsNamed(fields: readonly Field[], name: string): Field[] {
  return fields.filter((field) => field.name === name).reverse()
}

/** RFC 6376 section 3.4.2. */
function relaxedField({ name, value }: Field): string {
  const unfolded = value.replaceAll('\r\n', '').replaceAll(/[ \t]+/g, ' ')
  return `${name}:${unfolded.trim()}`
}

/** RFC 6376 section 3.4.4. */
function relaxedBody(body: string): string {
  const lines = body.replaceAll(/[ \t]+/g, ' ').replaceAll(' \r\n', '\r\n')
  let end = lines.length
  while (end >= 2 && lines.startsWith('\r\n', end - 2)) end -= 2
  return end === 0 ? '' : `${lines.slice(0, end).replace(/ $/, '')}\r\n`
}

function foldNames(names: readonly string[]): string {
  const lines: string[] = []
  let line = ''
  for (const name of names) {
    if (line.length + name.length > 70) {
      lines.push(line)
      line = ''
    }
    line += line === '' && lines.length === 0 ? name : `:${name}`
  }
  return [...lines, line].join('\r\n  ')
}
