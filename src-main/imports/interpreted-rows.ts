import type { FieldDefinition } from '../api/custom-fields/rules.ts'
import type { ImportSettings } from '../api/subscriber-imports/schema.ts'
import { RowInterpreter } from '../contact-files/interpreter.ts'
import type { Reading } from '../contact-files/schema.ts'
import type { RowPlan } from './plan.ts'

/** What reads the rows of a file as its description says; null where its cells are imported as they are. */
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

/** How the file of a plan is read: a description says itself where its rows begin. */
export function fileFormatOf({ settings: { file_format }, reading }: Pick<RowPlan, 'settings' | 'reading'>) {
  return reading
    ? { ...file_format, csv_has_headers: false, first_line: (reading.header_line ?? 0) + 1 }
    : file_format
}
