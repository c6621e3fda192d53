import { attributesFor, type FieldDefinition } from '../api/custom-fields/rules.ts'
import type { ImportSettings } from '../api/subscriber-imports/schema.ts'
import { importFormatOf } from '../contact-files/formats/convert.ts'
import { createdFields, RowInterpreter } from '../contact-files/interpreter.ts'
import type { Reading } from '../contact-files/schema.ts'
import type { RecordListener } from '../csv/csv-reader.ts'
import { readRecords } from '../csv/records.ts'
import type { RowPlan } from './plan.ts'

/** Returns the interpreter for a file description; null if cells are imported unchanged. */
export function interpreterOf({
  reading,
  fields
}: Pick<RowPlan, 'reading' | 'fields'>): RowInterpreter | null {
  return reading && new RowInterpreter(reading, fields)
}

/** The settings by which the rows of a file are imported once they were interpreted. */
export function interpretedSettings(
  settings: ImportSettings,
  reading: Reading | null,
  fields: readonly FieldDefinition[]
): ImportSettings {
  return reading ? { ...settings, column_mapping: new RowInterpreter(reading, fields).mapping } : settings
}

function fileFormatOf({ settings: { file_format }, reading }: Pick<RowPlan, 'settings' | 'reading'>) {
  return reading
    ? { ...file_format, csv_has_headers: false, first_line: (reading.header_line ?? 0) + 1 }
    : file_format
}

/**
 * Reads the records of a plan's file, with corrected rows in place of those in the file.
 * @param path of the readable file
 * @param afterChunk called after each chunk; the next one is read when it resolves
 * @throws ImportFailure naming the line
 */
export function readPlannedRecords(
  plan: Pick<RowPlan, 'settings' | 'reading'>,
  path: string,
  listener: RecordListener,
  afterChunk: () => Promise<void>
): Promise<void> {
  const corrected = new Map(plan.reading?.corrected_rows.map(({ line, cells }) => [line, cells]))
  const withCorrected: RecordListener = (cells, line, fault) => {
    const correction = corrected.get(line)
    if (correction) listener(correction, line, null)
    else listener(cells, line, fault)
  }
  return readRecords(path, fileFormatOf(plan), corrected.size > 0 ? withCorrected : listener, afterChunk)
}

/**
 * Returns the import settings for a file that is read according to `reading`. @param options all settings except the format and the
 * mapping
 */
export function settingsOf(
  reading: Reading,
  options: Omit<ImportSettings, 'column_mapping' | 'default_custom_fields' | 'file_format'>
): ImportSettings {
  return {
    ...options,
    column_mapping: reading.columns.map(({ target }) => target),
    default_custom_fields: {},
    file_format: importFormatOf(reading)
  }
}

export function fieldsWithCreated(existing: readonly FieldDefinition[], reading: Reading): FieldDefinition[] {
  return [...existing, ...createdFields(reading).map(pretendedField)]
}

/** A field that does not exist yet; its id clashes with none that does. */
function pretendedField(
  { name, field_type: type }: { name: string; field_type: FieldDefinition['type'] },
  index: number
): FieldDefinition {
  return {
    id: -1 - index,
    organizationId: 0,
    mailingListId: null,
    name: name.trim(),
    type,
    required: false,
    instructions: null,
    attributes: attributesFor(type, {}),
    options: []
  }
}
