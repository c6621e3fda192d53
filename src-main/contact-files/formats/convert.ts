import { refusal } from '../../base/refusal.ts'
import { closeSync, createWriteStream, openSync, writeFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { csvWriter } from '../../csv/csv-writer.ts'
import { cellLineBreak } from '../interpreter.ts'
import type { FileSource, Reading } from '../schema.ts'
import { type OpenedFile, openContactFile } from './open.ts'
import { importCharacterSet, textOf } from './text.ts'
import { asFailure, requireSpace } from './unpack.ts'
import { ImportFailure } from '../../csv/failure.ts'
import type { FileFormat } from '../../api/subscriber-imports/schema.ts'
import { checkWidth } from '../../api/subscriber-imports/width.ts'

/**
 * True if an import cannot read the file directly: it is no CSV, is one of several in an archive, has another
 * character set, or has enclosed lines.
 */
export function needsConversion({ kind, entry, character_set, encloses_lines }: FileSource): boolean {
  return kind !== 'csv' || entry !== null || encloses_lines || importCharacterSet(character_set) === null
}

/** Returns the API's file format for a reading, after its conversion if it needs one. */
export function importFormatOf({ file, header_line, columns }: Reading): FileFormat {
  return {
    csv_has_headers: header_line !== null,
    character_set: needsConversion(file) ? 'UTF-8' : (importCharacterSet(file.character_set) ?? 'UTF-8'),
    csv_field_separator: file.csv_field_separator,
    csv_field_enclosure: file.csv_field_enclosure,
    date_format: columns.find(({ date_order }) => date_order !== null)?.date_order ?? 'mdy'
  }
}

/**
 * Converts a contact file to CSV in UTF-8, each row at its original line.
 * @throws ImportFailure for unreadable files; StorageFault on a full disk
 */
export async function convertContactFile(
  path: string,
  source: FileSource,
  target: string,
  signal: AbortSignal
): Promise<void> {
  await mkdir(dirname(target), { recursive: true })
  const opened = await openContactFile(path, source, dirname(target), signal)
  try {
    if (opened.kind === 'csv') {
      await pipeline(textOf(opened.path, source), createWriteStream(target), { signal })
    } else await writeRows(opened, source, target, signal)
  } catch (error) {
    await rm(target, { force: true })
    throw asFailure(error)
  } finally {
    await opened.close()
  }
}

const charactersPerWrite = 256 * 1024

/** Writes synchronously: the converting thread has nothing else to do, and no memory accumulates. */
async function writeRows(
  opened: OpenedFile,
  source: FileSource,
  target: string,
  signal: AbortSignal
): Promise<void> {
  const file = openSync(target, 'w')
  const write = csvWriter(source)
  let text = ''
  let line = 1
  try {
    const isWhole = await opened.readRows((cells, at) => {
      checkWidth(cells.length, at)
      text += '\n'.repeat(Math.max(0, at - line))
      text += write([cells.map((cell) => cell.replaceAll(/\r\n|\n|\r/g, cellLineBreak))])
      line = Math.max(line, at) + 1
      if (text.length >= charactersPerWrite) {
        requireSpace(dirname(target))
        writeFileSync(file, text)
        text = ''
      }
      return !signal.aborted
    }, source.character_set)
    signal.throwIfAborted()
    if (!isWhole) throw new ImportFailure(refusal('sheet_missing', { sheet: opened.sheet ?? '' }))
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}
