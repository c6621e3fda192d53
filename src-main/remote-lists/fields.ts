import type { FieldDefinition, StoredValues } from '../api/custom-fields/rules.ts'

// Codes take values from the columns of a query as if each were a custom field of type text. Their ids are negative: fields of the list, which
// the messages to seed lists use, have the others.

function idOfColumn(index: number): number {
  return -index - 1
}

/** @param index of the column's value in those of a recipient */
export function fieldOfColumn(name: string, index: number): FieldDefinition {
  const none = { organizationId: 0, mailingListId: null, required: false, instructions: null }
  return { ...none, id: idOfColumn(index), name, type: 'text', attributes: {}, options: [] }
}

/** Returns values in the order of the columns by the ids of their fields. */
export function valuesOfColumns(values: readonly (string | null)[]): StoredValues {
  const stored: StoredValues = {}
  for (const [index, value] of values.entries()) if (value !== null) stored[idOfColumn(index)] = value
  return stored
}
