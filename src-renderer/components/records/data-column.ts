/** A column of a DataTable. What stands in its cells comes from the slot of its id. */
export interface DataColumn<Row> {
  id: string
  label: string
  /** True = the label is only for screen readers. */
  hidesLabel?: boolean
  /** Figures stand at the right. */
  align?: 'right'
  /** Classes of its cells. */
  class?: string
  /** The sort value of a row; without it the header is not a button. */
  sortBy?: (row: Row) => string | number
  footer?: string
}
