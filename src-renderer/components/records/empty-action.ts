/** What a person can do where there is nothing yet. */
export interface EmptyAction {
  label: string
  icon?: string
  to?: string
  onClick?: () => void
}
