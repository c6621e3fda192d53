/** Made by tools/help-pages.ts. */
declare module 'virtual:help/*' {
  const pages: import('./help-page.ts').HelpPage[]
  export default pages
}
