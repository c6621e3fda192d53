/** A column of a DataTable. What stands in its cells comes from the slot of its id. */
export interface DataColumn<Row> {
  id: string
  label: string
  /** Whether the label is for screen readers alone. */
  hidesLabel?: boolean
  /** Figures stand at the right. */
  align?: 'right'
  /** Classes of its cells. */
  class?: string
  /** What rows are sorted by when its header is clicked; without it, it is not a button. */
  sortBy?: (row: Row) => string | number
  footer?: string
}
