import { refusal } from '../../base/refusal.ts'
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { beginningOf } from '../../base/file-content.ts'
import { ImportFailure } from '../../csv/failure.ts'
import { contactExtensions } from '../extensions.ts'
import type { FileKind } from '../schema.ts'
import { odsSheets, readOds } from './ods.ts'
import { archiveNames, isCompressed, unpackFile, unpackEntry } from './unpack.ts'
import { readVcards } from './vcard.ts'
import { readXlsx, xlsxSheets } from './xlsx.ts'

/** Receives a row and its line in the file, from 1. Returns false to stop. */
export type RowListener = (cells: string[], line: number) => boolean

export interface OpenedFile {
  kind: FileKind
  /** The file itself, or the unpacked entry of an archive. */
  path: string
  /** The file in an archive; null without a choice. */
  entry: string | null
  entries: string[]
  sheet: string | null
  sheets: string[]
  /**
   * Reads the rows of a spreadsheet or vCards; text files are read by csv/.
   * @param characterSet of vCards
   * @returns true if all rows were read
   */
  readRows: (listener: RowListener, characterSet: string) => Promise<boolean>
  /** Deletes unpacked files. */
  close: () => Promise<void>
}

/**
 * Detects the type of a file from its content; an archive is unpacked into the directory.
 * @throws ImportFailure if it is not a contact file, with what to do about it
 */
export async function openContactFile(
  path: string,
  choices: { entry?: string | null | undefined; sheet?: string | null | undefined },
  directory: string,
  signal: AbortSignal = new AbortController().signal
): Promise<OpenedFile> {
  const unpacked: string[] = []
  const close = async (): Promise<void> => {
    for (const each of unpacked) await rm(each, { force: true })
  }
  const target = (): string => {
    const name = join(directory, `${randomUUID()}.unpacked`)
    unpacked.push(name)
    return name
  }
  try {
    let plain = (await isCompressed(path)) ? await unpackFile(path, target(), signal) : path
    let entry: string | null = null
    let entries: string[] = []
    let names = await archiveNames(plain)
    if (names && spreadsheetKind(names) === null) {
      entries = names.filter(isContactFile)
      entry = chosenEntry(entries, choices.entry, names)
      const inner = target()
      await unpackEntry(plain, entry, inner, signal)
      plain = inner
      names = await archiveNames(plain)
    }
    const kind = await kindOf(plain, names)
    const sheets = kind === 'xlsx' ? await xlsxSheets(plain) : kind === 'ods' ? await odsSheets(plain) : []
    const sheet = sheets.find((each) => each === choices.sheet) ?? sheets[0] ?? null
    return {
      kind,
      path: plain,
      entry: entries.length > 0 ? entry : null,
      entries,
      sheet,
      sheets,
      readRows: (listener, characterSet) => readRows({ kind, path: plain, sheet }, listener, characterSet),
      close
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function readRows(
  { kind, path, sheet }: { kind: FileKind; path: string; sheet: string | null },
  listener: RowListener,
  characterSet: string
): Promise<boolean> {
  switch (kind) {
    case 'xlsx':
      return readXlsx(path, sheet ?? '', listener)
    case 'ods':
      return readOds(path, sheet ?? '', listener)
    case 'vcard':
      return readVcards(path, characterSet, listener)
    case 'csv':
      throw new Error('the rows of a text file are read by csv/')
  }
}

/**
 * Returns the kind of spreadsheet in an archive; null for none.
 * @throws ImportFailure for an unreadable archive
 */
function spreadsheetKind(names: readonly string[]): 'xlsx' | 'ods' | null {
  if (names.includes('xl/workbook.xml')) return 'xlsx'
  if (names.includes('content.xml') && names.includes('mimetype')) return 'ods'
  if (names.some((name) => name.startsWith('Index/') && name.endsWith('.iwa'))) {
    throw new ImportFailure(refusal('numbers_document'))
  }
  if (names.includes('xl/workbook.bin')) {
    throw new ImportFailure(refusal('binary_workbook'))
  }
  if (names.includes('[Content_Types].xml')) {
    throw new ImportFailure(refusal('other_office_document'))
  }
  return null
}

function isContactFile(name: string): boolean {
  const file = name.split('/').at(-1) ?? ''
  return (
    !name.endsWith('/') &&
    !name.startsWith('__MACOSX/') &&
    !file.startsWith('.') &&
    contactExtensions.includes(extname(file).slice(1).toLowerCase())
  )
}

function chosenEntry(
  entries: readonly string[],
  chosen: string | null | undefined,
  all: readonly string[]
): string {
  const entry = entries.find((each) => each === chosen) ?? entries[0]
  if (entry !== undefined) return entry
  const files = all.filter((name) => !name.endsWith('/'))
  throw new ImportFailure(refusal('archive_without_contacts', { count: files.length }))
}

async function kindOf(path: string, names: readonly string[] | null): Promise<FileKind> {
  if (names) {
    const kind = spreadsheetKind(names)
    if (kind) return kind
    throw new ImportFailure(refusal('archive_in_archive'))
  }
  const beginning = await beginningOf(path, 512)
  if (beginning.subarray(0, 4).equals(Buffer.from([0xd0, 0xcf, 0x11, 0xe0]))) {
    throw new ImportFailure(refusal('old_workbook'))
  }
  if (beginning.subarray(0, 4).toString('latin1') === '%PDF') {
    throw new ImportFailure(refusal('pdf_document'))
  }
  if (/^\s*(?:version: \d+\s+)?dn: /i.test(beginning.toString('latin1'))) {
    throw new ImportFailure(refusal('ldif_document'))
  }
  if (/^\s*(?:<!doctype html|<html|<table|<\?xml)/i.test(beginning.toString('latin1'))) {
    throw new ImportFailure(refusal('web_page'))
  }
  // The names in vCards are ASCII in every character set; in UTF-16 each letter has an additional zero byte.
  const text = beginning.toString('latin1').replaceAll('\0', '')
  return /^(?:[\u00ef\u00bb\u00bf\u00ff\u00fe]*)\s*BEGIN:VCARD/i.test(text) ? 'vcard' : 'csv'
}
