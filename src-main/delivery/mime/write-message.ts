import MimeNode from 'nodemailer/lib/mime-node'
import { base64Lines, ByteWriter } from './byte-writer.ts'

/** A part of a message; a part that all messages share is encoded once. */
export type Part =
  | { kind: 'text'; subtype: 'plain' | 'html'; encoding: TextEncoding; text: string }
  | { kind: 'encoded'; bytes: Buffer }
  | { kind: 'multipart'; subtype: 'alternative' | 'related' | 'mixed'; parts: readonly Part[] }

export type TextEncoding = 'quoted-printable' | 'base64'

/**
 * Chooses the encoding of a text: quoted-printable, which people can read, or base64 for a text of mostly other letters than Latin ones, in
 * which it takes less than half.
 */
export function textEncodingOf(text: string): TextEncoding {
  const latin = text.match(/[A-Za-z]/g)?.length ?? 0
  const others = text.match(/[^\x00-\x7f]/g)?.length ?? 0
  return others <= latin ? 'quoted-printable' : 'base64'
}

/** Encodes a file that HTML refers to as `cid:<id>`. */
export function inlineFile({ id, ...file }: NamedFile & { id: string }): Part {
  return encodedFile('multipart/related', file, [
    { key: 'Content-ID', value: `<${id}>` },
    { key: 'Content-Disposition', value: 'inline' }
  ])
}

/** Encodes a file that recipients may save. */
export function attachedFile(file: NamedFile): Part {
  return encodedFile('multipart/mixed', file, [{ key: 'Content-Disposition', value: 'attachment' }])
}

interface NamedFile {
  name: string
  mediaType: string
  bytes: Buffer
}

function encodedFile(
  within: string,
  { name, mediaType, bytes }: NamedFile,
  fields: { key: string; value: string }[]
): Part {
  const headers = new MimeNode(within)
    .createChild(mediaType, { filename: name })
    // Without it, text would be announced as quoted-printable.
    .setHeader([...fields, { key: 'Content-Transfer-Encoding', value: 'base64' }])
    .setContent(bytes)
    .buildHeaders()
  return { kind: 'encoded', bytes: Buffer.concat([Buffer.from(`${headers}\r\n\r\n`), base64Lines(bytes)]) }
}

const writer = new ByteWriter()

/**
 * Writes a message (RFC 5322) with CRLF.
 * @param headers encoded lines, each with its line break; those of the body are added
 */
export function writeMessage(headers: string, body: Part): Buffer {
  writer.begin()
  writer.writeText(headers)
  writePart(body, 1)
  writer.writeText('\r\n')
  return writer.bytes()
}

/** @param depth nesting depth of the part: each depth has its own boundary */
function writePart(part: Part, depth: number): void {
  switch (part.kind) {
    case 'encoded':
      writer.writeBytes(part.bytes)
      return
    case 'text':
      writer.writeText(
        `Content-Type: text/${part.subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${part.encoding}\r\n\r\n`
      )
      if (part.encoding === 'base64') writer.writeBase64(part.text)
      else writer.writeQuotedPrintable(part.text)
      return
    case 'multipart': {
      // No encoded body contains "=_" (RFC 2045 section 6.7).
      const boundary = `=_part_${depth}`
      const type = part.subtype === 'related' ? 'related; type="text/html"' : part.subtype
      writer.writeText(`Content-Type: multipart/${type};\r\n boundary="${boundary}"\r\n\r\n`)
      for (const inner of part.parts) {
        writer.writeText(`--${boundary}\r\n`)
        writePart(inner, depth + 1)
        writer.writeText('\r\n')
      }
      writer.writeText(`--${boundary}--\r\n`)
    }
  }
}
