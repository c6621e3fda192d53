import { refusal } from '../base/refusal.ts'
import { isAscii, isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { ImportFailure } from './failure.ts'

function isUtf8Named(characterSet: string): boolean {
  return characterSet.toUpperCase() === 'UTF-8'
}

const chunkBytes = 256 * 1024

/** The first bytes of other kinds of files, with advice for the user. */
type SignatureRule =
  'spreadsheet_or_archive_not_csv' | 'pdf_not_csv' | 'old_spreadsheet_not_csv' | 'utf16_not_csv'

const signatures: readonly [Buffer, SignatureRule][] = [
  [Buffer.from('PK\x03\x04'), 'spreadsheet_or_archive_not_csv'],
  [Buffer.from('%PDF'), 'pdf_not_csv'],
  [Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), 'old_spreadsheet_not_csv'],
  [Buffer.from([0xff, 0xfe]), 'utf16_not_csv'],
  [Buffer.from([0xfe, 0xff]), 'utf16_not_csv']
]
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * Reads a file as text in chunks. Rejects bytes that are invalid in the character set instead of garbling
 * them.
 * @throws ImportFailure naming the line
 */
export async function* decodeFile(path: string, characterSet: string): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  let offset = 0
  for await (const bytes of createReadStream(path, { highWaterMark: chunkBytes }) as AsyncIterable<Buffer>) {
    let chunk = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes
    if (offset === 0) chunk = withoutMark(chunk)
    const complete = isUtf8Named(characterSet) ? completeLength(chunk) : chunk.length
    rest = chunk.subarray(complete)
    yield await decodeChunk(path, offset, chunk.subarray(0, complete), characterSet)
    offset += complete
  }
  if (rest.length > 0) yield await decodeChunk(path, offset, rest, characterSet)
}

/** Decodes the beginning of a file, cut at a whole character. */
export async function decodeBeginning(bytes: Buffer, path: string, characterSet: string): Promise<string> {
  const chunk = withoutMark(bytes)
  const complete = isUtf8Named(characterSet) ? completeLength(chunk) : chunk.length
  return decodeChunk(path, 0, chunk.subarray(0, complete), characterSet)
}

function withoutMark(chunk: Buffer): Buffer {
  for (const [signature, rule] of signatures) {
    if (chunk.subarray(0, signature.length).equals(signature)) throw new ImportFailure(refusal(rule), 1)
  }
  return chunk.subarray(0, 3).equals(byteOrderMark) ? chunk.subarray(3) : chunk
}

async function decodeChunk(
  path: string,
  offset: number,
  chunk: Buffer,
  characterSet: string
): Promise<string> {
  const nul = chunk.indexOf(0)
  if (nul !== -1) {
    throw new ImportFailure(refusal('nul_byte'), await lineAt(path, offset + nul))
  }
  if (isAscii(chunk)) return chunk.toString('latin1')
  if (!isUtf8Named(characterSet)) return decodeLatin1(chunk)
  if (isUtf8(chunk)) return chunk.toString('utf8')
  throw new ImportFailure(refusal('not_utf8'), await lineAt(path, offset + firstInvalid(chunk)))
}

const windows1252 = new TextDecoder('windows-1252')

/** Files that call themselves ISO-8859-1 and use its control range mean Windows-1252, as the WHATWG standard reads them. */
function decodeLatin1(chunk: Buffer): string {
  const text = chunk.toString('latin1')
  return /[\u0080-\u009f]/.test(text) ? windows1252.decode(chunk) : text
}

/** Returns the length of the chunk up to the last complete UTF-8 character. */
function completeLength(chunk: Buffer): number {
  for (let back = 1; back <= Math.min(4, chunk.length); back++) {
    const byte = chunk[chunk.length - back] ?? 0
    if ((byte & 0b1100_0000) === 0b1000_0000) continue
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return needed > back ? chunk.length - back : chunk.length
  }
  return chunk.length
}

/** The position of the first byte that is not part of valid UTF-8, by bisection over valid beginnings. */
function firstInvalid(chunk: Buffer): number {
  let valid = 0
  let invalid = chunk.length
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1
    const beginning = chunk.subarray(0, middle)
    if (isUtf8(beginning.subarray(0, completeLength(beginning)))) valid = middle
    else invalid = middle
  }
  return valid
}

/** The number of the line that holds the byte at `offset`; read again from the start, because it is needed once at most. */
async function lineAt(path: string, offset: number): Promise<number> {
  let line = 1
  if (offset === 0) return line
  for await (const chunk of createReadStream(path, { end: offset - 1 }) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) line++
  }
  return line
}
