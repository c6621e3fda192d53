import { type FieldDefinition, fieldNamed } from '../api/custom-fields/rules.ts'
import { isImportColumn } from '../api/subscriber-imports/rules.ts'
import { type Reading, type ReadingColumn, rememberedKey } from './schema.ts'

/**
 * The proposal for a file with what a saved description says: its columns by their headers, or by their places where the file
 * has none. Columns that the description does not name stay as they are proposed.
 * @param fields those of the list
 */
export function applyReading(
  saved: Reading,
  proposal: Reading,
  fields: readonly Pick<FieldDefinition, 'name'>[]
): Reading {
  const { removes_text_marks, tidies_values, several_addresses, opted_out, blank_cells } = saved
  const hasHeaders = proposal.columns.some(({ header }) => header !== '')
  const left = [...saved.columns]
  /** Of several columns with the same header each takes its own reading. */
  const takeSaved = (column: ReadingColumn, index: number): ReadingColumn | undefined => {
    if (!hasHeaders) return saved.columns[index]
    const place = left.findIndex(({ header }) => rememberedKey(header) === rememberedKey(column.header))
    return place === -1 ? undefined : left.splice(place, 1)[0]
  }
  const targets = new Set(saved.columns.flatMap(({ target }) => target?.toLowerCase() ?? []))
  /** Columns that are not in the description give way to those with the same target. */
  const unnamed = (column: ReadingColumn): ReadingColumn =>
    column.target !== null && targets.has(column.target.toLowerCase())
      ? { ...column, target: null, new_field_type: null }
      : column
  return {
    ...proposal,
    removes_text_marks: removes_text_marks || proposal.removes_text_marks,
    tidies_values,
    several_addresses,
    all_opted_out: saved.all_opted_out || proposal.all_opted_out,
    opted_out,
    blank_cells,
    columns: proposal.columns.map((column, index) => {
      const known = takeSaved(column, index)
      if (!known) return unnamed(column)
      const { target } = known
      if (target === null || isImportColumn(target)) return { ...known, header: column.header }
      const field = fieldNamed(fields, target)
      if (field) return { ...known, header: column.header, target: field.name, new_field_type: null }
      // A field that was deleted is created again with its former type.
      return known.new_field_type ? { ...known, header: column.header } : column
    })
  }
}
