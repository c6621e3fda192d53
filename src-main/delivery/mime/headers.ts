import { randomUUID } from 'node:crypto'
import { foldLines } from 'nodemailer/lib/mime-funcs'
import MimeNode from 'nodemailer/lib/mime-node'

export type HeaderValue = string | { name: string; address: string }

// Shared by all values: each new node draws a random boundary.
const encoder = new MimeNode('text/plain')

/** Header fields of addresses, ids, dates and types, whose values are no free text. */
const structured = new Set([
  'From',
  'Sender',
  'Reply-To',
  'To',
  'Cc',
  'Bcc',
  'Date',
  'Message-ID',
  'In-Reply-To',
  'References',
  'Content-ID',
  'Content-Type',
  'Content-Disposition',
  'OTP-Token'
])

/** Printable ASCII that is neither an encoded word nor to be quoted, in a line of at most 76 characters with any name of ours. */
const plainValue = /^[\x20\x21\x23-\x3c\x3e-\x7e]{1,50}$/

/** An address of ASCII that needs neither quotes nor angle brackets. */
const plainAddress = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9.-]{1,255}$/

/** Returns the header field of a recipient's address. */
export function recipientLine(address: string): string {
  return plainAddress.test(address) ? `To: ${address}\r\n` : headerLine('To', { name: '', address })
}

/**
 * Encodes a header field (RFC 2047) and folds it.
 * @param name as headerName() writes it
 * @returns the lines with their line breaks; '' for a blank value
 */
export function headerLine(name: string, value: HeaderValue): string {
  const isShort = typeof value === 'string' && name.length <= 24 && plainValue.test(value)
  if (isShort && !structured.has(name)) {
    return value.trim() === '' ? '' : `${name}: ${value}\r\n`
  }
  const encoded = encoder.encodeHeaderValue(name, value)
  return encoded.trim() === '' ? '' : `${foldLines(`${name}: ${encoded}`, 76)}\r\n`
}

/** Returns a header's name in its usual spelling. */
export function headerName(name: string): string {
  const line = new MimeNode('text/plain').setHeader(name, 'x').buildHeaders()
  return line.slice(0, line.indexOf(':'))
}

/** Returns an address as headers and envelopes have it: its domain in ASCII. */
export function encodedAddress(address: string): string {
  return encoder.encodeHeaderValue('From', { name: '', address })
}

let lastDate = { second: 0, line: '' }

/** Returns the line of the date; many messages are written in a second. */
export function dateLine(now: number): string {
  const second = Math.floor(now / 1000)
  if (second !== lastDate.second) {
    lastDate = { second, line: `Date: ${new Date(now).toUTCString().replace('GMT', '+0000')}\r\n` }
  }
  return lastDate.line
}

/**
 * @param domain of the sender
 * @param id unique for each message
 */
export function messageIdLine(domain: string, id: string = randomUUID()): string {
  return `Message-ID: <${id}@${domain}>\r\n`
}
