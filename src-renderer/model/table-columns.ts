import { type SortColumn, fieldKindOf } from '../../src-main/api/segments/conditions.ts'
import type { CustomField } from '../api/custom-fields.ts'
import type { Subscriber } from '../api/subscribers.ts'

/** A column, or the id of a custom field. */
export interface TableSort {
  by: SortColumn | number
  descending: boolean
}

/** True if the field's values can be sorted: fields with several values cannot. */
export function isSortable({ field_type }: CustomField): boolean {
  return fieldKindOf(field_type) !== 'options'
}

/** The order after a click on a column: upwards, downwards, and as it was. */
export function nextSort(sort: TableSort | null, by: TableSort['by']): TableSort | null {
  if (sort?.by !== by) return { by, descending: false }
  return sort.descending ? null : { by, descending: true }
}

export interface TableColumn {
  /** A column of subscribers by its name in the API, or a custom field as "field ID". */
  key: string
  label: string
  /** As a CSS grid track. */
  width: string
  /** The sort order on a click; null = not sortable. */
  by: TableSort['by'] | null
  /** The text of a cell. */
  valueOf: (subscriber: Subscriber) => string
}
