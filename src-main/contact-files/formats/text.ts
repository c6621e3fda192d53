import { createReadStream } from 'node:fs'
import { decodeFile } from '../../csv/decode.ts'
import type { ReadableCharacterSet } from '../character-sets.ts'
import type { FileSource } from '../schema.ts'
import { withoutLineEnclosure } from './enclosed-lines.ts'

/** UTF-8 of which some bytes are damaged: they are read as the replacement character, where an import refuses the file. */
export const damagedUtf8 = 'unicode-1-1-utf-8' satisfies ReadableCharacterSet

/** Whether a character set is one of the two that an import reads; null for any other. */
export function importCharacterSet(label: string): 'UTF-8' | 'ISO-8859-1' | null {
  const name = label.toLowerCase()
  if (name === 'utf-8' || name === 'utf8') return 'UTF-8'
  return ['iso-8859-1', 'latin1', 'windows-1252'].includes(name) ? 'ISO-8859-1' : null
}

/** Reads the lines of a text file as its description says. @throws ImportFailure naming the line */
export function textOf(path: string, source: FileSource): AsyncGenerator<string> {
  const text = decodeText(path, source.character_set)
  return source.encloses_lines ? withoutLineEnclosure(text, source) : text
}

/**
 * Reads a file as text, chunk by chunk, in any character set of the WHATWG Encoding Standard.
 * @throws ImportFailure naming the line, for what is no text in UTF-8 or ISO-8859-1
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
