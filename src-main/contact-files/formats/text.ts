import { createReadStream } from 'node:fs'
import { decodeFile } from '../../csv/decode.ts'
import type { ReadableCharacterSet } from '../character-sets.ts'
import type { FileSource } from '../schema.ts'
import { withoutLineEnclosure } from './enclosed-lines.ts'

/**
 * Damaged UTF-8, whose invalid bytes become replacement characters, where an import would refuse the file.
 */
export const damagedUtf8 = 'unicode-1-1-utf-8' satisfies ReadableCharacterSet

/** Returns the character set if an import can read it directly, else null. */
export function importCharacterSet(label: string): 'UTF-8' | 'ISO-8859-1' | null {
  const name = label.toLowerCase()
  if (name === 'utf-8' || name === 'utf8') return 'UTF-8'
  return ['iso-8859-1', 'latin1', 'windows-1252'].includes(name) ? 'ISO-8859-1' : null
}

/** @throws ImportFailure naming the line */
export function textOf(path: string, source: FileSource): AsyncGenerator<string> {
  const text = decodeText(path, source.character_set)
  return source.encloses_lines ? withoutLineEnclosure(text, source) : text
}

/**
 * Reads a file as text in chunks, in any character set of the WHATWG Encoding Standard.
 * @throws ImportFailure naming the line, for invalid UTF-8 or ISO-8859-1
 */
export async function* decodeText(path: string, label: string): AsyncGenerator<string> {
  const known = importCharacterSet(label)
  if (known) {
    yield* decodeFile(path, known)
    return
  }
  const decoder = new TextDecoder(label)
  for await (const bytes of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    yield decoder.decode(bytes, { stream: true })
  }
  yield decoder.decode()
}
