export interface HelpPage {
  /** Its name in docs/user and in the address of the window. */
  name: string
  title: string
  sections: { id: string; title: string }[]
  /** Made from our own Markdown when the window was built. */
  html: string
}
