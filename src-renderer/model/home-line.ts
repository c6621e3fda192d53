export interface HomeLine {
  key: string
  icon: string
  /** A class for the icon. */
  color: string
  text: string
  detail: string
  /** The page that shows more of it. */
  to: string | null
}
