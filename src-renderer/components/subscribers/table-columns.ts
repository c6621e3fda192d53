import { type SortColumn, fieldKindOf } from '../../../src-main/api/segments/conditions.ts'
import type { CustomField } from '../../api/custom-fields.ts'
import type { Subscriber } from '../../api/subscribers.ts'

/** What the table is ordered by: a column, or the id of a custom field. */
export interface TableSort {
  by: SortColumn | number
  descending: boolean
}

/** Whether the values of a field have an order: those of which there may be several have none. */
export function isSortable({ field_type }: CustomField): boolean {
  return fieldKindOf(field_type) !== 'options'
}

/** The order after a click on a column: upwards, downwards, and as it was. */
export function nextSort(sort: TableSort | null, by: TableSort['by']): TableSort | null {
  if (sort?.by !== by) return { by, descending: false }
  return sort.descending ? null : { by, descending: true }
}

/** A column of the table. */
export interface TableColumn {
  /** A column of subscribers by its name in the API, or a custom field as "field ID". */
  key: string
  label: string
  /** As CSS grids have it. */
  width: string
  /** What a click orders by; null where the values have no order. */
  by: TableSort['by'] | null
  /** What a cell says. */
  valueOf: (subscriber: Subscriber) => string
}
