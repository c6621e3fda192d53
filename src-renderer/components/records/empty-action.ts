/** What the user can do if there are no records yet. */
export interface EmptyAction {
  label: string
  icon?: string
  to?: string
  onClick?: () => void
}
