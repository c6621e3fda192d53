import { type ImportColumn, isImportColumn } from '../../../src-main/api/subscriber-imports/rules.ts'
import type { DateOrder } from '../../../src-main/base/dates.ts'
import type { CustomFieldType } from '../../../src-main/api/custom-fields/schema.ts'
import { createCustomField, type CustomField } from '../../api/custom-fields.ts'
import type { ImportMapping, ImportPreview, MappedColumn } from '../../api/workbench.ts'

/** Where the values of a column go. */
export type ColumnTarget =
  { kind: 'reserved'; name: ImportColumn } | { kind: 'field'; name: string } | NewField | { kind: 'skip' }

/** A custom field that the import begins with creating. */
export interface NewField {
  kind: 'new'
  name: string
  type: CustomFieldType
}

/** Types that a new field can have here: those that need no list of options. */
export const newFieldTypes: readonly CustomFieldType[] = [
  'text',
  'text_multiline',
  'number',
  'date',
  'day_of_year',
  'boolean'
]

/** What each column of a file is best matched to; what fits nothing is offered as a new field. */
export function targetsOf(columns: ImportPreview['columns'], order: DateOrder | undefined): ColumnTarget[] {
  const taken = new Set(columns.flatMap(({ suggestion }) => suggestion?.toLowerCase() ?? []))
  return columns.map((column, index) => {
    const { suggestion } = column
    if (suggestion !== null) return targetNamed(suggestion)
    if (column.remembered) return { kind: 'skip' }
    const name = newFieldName(column.header, index)
    // A second column of the same name has nothing to go to, and one without values nothing to bring.
    if (taken.has(name.toLowerCase()) || column.samples.length === 0) return { kind: 'skip' }
    taken.add(name.toLowerCase())
    return newField(column, index, order)
  })
}

/** @param order of day and month in the file; without one a column that holds dates in either is one of dates */
export function newField(
  { header, guessed_types }: ImportPreview['columns'][number],
  index: number,
  order: DateOrder | undefined
): NewField {
  const { mdy, dmy } = guessed_types
  const type = order ? guessed_types[order] : mdy === 'date' ? mdy : dmy
  return { kind: 'new', name: newFieldName(header, index), type }
}

/**
 * Where columns go after the file was read with another format: what a person chose stays with its column, and what was
 * guessed is guessed again.
 */
export function keptTargets(
  before: { columns: ImportPreview['columns']; targets: ColumnTarget[]; guessed: ColumnTarget[] },
  columns: ImportPreview['columns'],
  guessed: ColumnTarget[]
): ColumnTarget[] {
  const sameWidth = before.columns.length === columns.length
  return guessed.map((guess, index) => {
    const { header } = columns[index] ?? { header: '' }
    const named =
      before.columns[index]?.header === header
        ? index
        : before.columns.findIndex((each) => header !== '' && each.header === header)
    const place = named === -1 && sameWidth ? index : named
    const target = before.targets[place]
    const changed = target && JSON.stringify(target) !== JSON.stringify(before.guessed[place])
    return changed ? target : guess
  })
}

function newFieldName(header: string, index: number): string {
  return header === '' ? `Column ${index + 1}` : header
}

function targetNamed(name: string): ColumnTarget {
  return isImportColumn(name) ? { kind: 'reserved', name } : { kind: 'field', name }
}

/**
 * The targets after a saved mapping was applied: by header, or by place in files without headers. Columns that it does not
 * name, or for which the list has no field any more, stay as they are.
 */
export function applyMapping(
  mapping: ImportMapping,
  columns: ImportPreview['columns'],
  fields: CustomField[],
  targets: ColumnTarget[]
): ColumnTarget[] {
  const hasHeaders = columns.some(({ header }) => header !== '')
  return targets.map((target, index) => {
    const header = columns[index]?.header.trim().toLowerCase()
    const mapped = hasHeaders
      ? mapping.columns.find((column) => column.header.trim().toLowerCase() === header)
      : mapping.columns[index]
    if (!mapped) return target
    const { target: name } = mapped
    if (name === null) return { kind: 'skip' }
    if (isImportColumn(name)) return targetNamed(name)
    const field = fields.find((each) => each.name.toLowerCase() === name.toLowerCase())
    return field ? targetNamed(field.name) : target
  })
}

/** Where the columns of a file go, to be saved or remembered. */
export function mappedColumns(columns: ImportPreview['columns'], targets: ColumnTarget[]): MappedColumn[] {
  return columns.map(({ header }, index) => ({
    header,
    target: mappedName(targets[index] ?? { kind: 'skip' })
  }))
}

/** The fields that an import would begin with creating. */
export function newFieldsOf(targets: ColumnTarget[]): { name: string; field_type: CustomFieldType }[] {
  return targets.flatMap((target) =>
    target.kind === 'new' ? [{ name: target.name.trim(), field_type: target.type }] : []
  )
}

/** What the mapping holds for a target; null for a column that is left out. */
export function mappedName(target: ColumnTarget): string | null {
  return target.kind === 'skip' ? null : target.name.trim()
}

/**
 * Creates the new fields and answers the column_mapping. A field that was created is a field from then on, so that
 * trying again after a failure creates nothing twice.
 * @throws ApiFailure
 */
export async function toColumnMapping(listId: number, targets: ColumnTarget[]): Promise<(string | null)[]> {
  for (const [index, target] of targets.entries()) {
    if (target.kind !== 'new') continue
    const { name } = await createCustomField(listId, { name: target.name.trim(), field_type: target.type })
    targets[index] = { kind: 'field', name }
  }
  return targets.map(mappedName)
}
