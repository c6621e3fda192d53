import { englishOf } from '../../src-main/base/refusal.ts'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { analyzeFile } from '../../src-main/contact-files/analysis/analyze.ts'
import type { FileAnalysis, ReadingChoices } from '../../src-main/contact-files/analysis/schema.ts'
import type { Destination } from '../../src-main/contact-files/analysis/proposed-column.ts'
import {
  convertContactFile,
  importFormatOf,
  needsConversion
} from '../../src-main/contact-files/formats/convert.ts'
import { createdFields, RowInterpreter } from '../../src-main/contact-files/interpreter.ts'
import type { Reading } from '../../src-main/contact-files/schema.ts'
import { attributesFor, type FieldDefinition } from '../../src-main/api/custom-fields/rules.ts'
import type { CustomFieldType } from '../../src-main/api/custom-fields/schema.ts'
import { readRecords } from '../../src-main/csv/records.ts'
import { temporaryDirectory } from '../support/application.ts'

/** A list without fields and attributes. */
export function emptyList(changes: Partial<Destination> = {}): Destination {
  return {
    fields: [],
    hasFormat: false,
    hasConfirmed: false,
    createsFields: true,
    remembered: new Map(),
    last: null,
    ...changes
  }
}

export function fieldOf(
  name: string,
  type: CustomFieldType = 'text',
  options: string[] = []
): FieldDefinition {
  return {
    id: name.length * 1000 + (name.codePointAt(0) ?? 0),
    organizationId: 1,
    mailingListId: 1,
    name,
    type,
    required: false,
    instructions: null,
    attributes: attributesFor(type, {}),
    options: options.map((option, index) => ({ id: index + 1, name: option, position: index }))
  }
}

export interface AnalyzedFile {
  analysis: FileAnalysis
  rows: { [column: string]: string | null }[]
}

/** Analyzes a file as the wizard does, and reads it as the proposal says. */
export async function analyzed(
  content: string | Uint8Array,
  {
    name = 'people.csv',
    choices = {},
    destination = emptyList(),
    change = (reading) => reading
  }: {
    name?: string
    choices?: ReadingChoices
    destination?: Destination
    change?: (reading: Reading) => Reading
  } = {}
): Promise<AnalyzedFile> {
  const directory = await temporaryDirectory()
  const path = join(directory, 'upload')
  await writeFile(path, content)
  const analysis = await analyzeFile({
    path,
    filename: name,
    choices,
    destination,
    directory: join(directory, 'analysis')
  })
  const reading = change(analysis.reading)
  const fields = [
    ...destination.fields,
    ...createdFields(reading).map(({ name: field, field_type }) => fieldOf(field, field_type))
  ]
  return { analysis, rows: await interpreted(path, join(directory, 'converted.csv'), reading, fields) }
}

async function interpreted(
  path: string,
  target: string,
  reading: Reading,
  fields: FieldDefinition[]
): Promise<AnalyzedFile['rows']> {
  const plain = needsConversion(reading.file)
  if (plain) await convertContactFile(path, reading.file, target, new AbortController().signal)
  const interpreter = new RowInterpreter(reading, fields)
  const rows: AnalyzedFile['rows'] = []
  const format = {
    ...importFormatOf(reading),
    csv_has_headers: false,
    first_line: (reading.header_line ?? 0) + 1
  }
  await readRecords(
    plain ? target : path,
    format,
    (cells, line, malformed) => {
      for (const { cells: values, fault } of malformed === null ? interpreter.read(cells) : []) {
        rows.push({
          ...Object.fromEntries(interpreter.mapping.map((column, index) => [column, values[index] ?? ''])),
          ...(fault !== null && { fault: `line ${line}: ${englishOf(fault)}` })
        })
      }
    },
    () => Promise.resolve()
  )
  return rows
}
