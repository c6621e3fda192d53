import type { Frame } from './plan.ts'

// What an organization has before and after the content of each message.

/** The content with header and footer, in its body where it has one. */
export function framedHtml(html: string, { html_header: header, html_footer: footer }: Frame): string {
  const body = html.search(/<body\b/i)
  const start = body < 0 ? 0 : html.indexOf('>', body) + 1
  return atEndOfBody(html.slice(0, start) + header + html.slice(start), footer)
}

/** The content with header and footer, each in lines of its own. */
export function framedText(text: string, { text_header: header, text_footer: footer }: Frame): string {
  return [header, text, footer].filter((part) => part.trim() !== '').join('\n\n')
}

export function atEndOfBody(html: string, addition: string): string {
  const end = html.search(/<\/body\s*>/i)
  return end < 0 ? html + addition : html.slice(0, end) + addition + html.slice(end)
}

/** Returns all HTML that recipients may see (header, footer and contents), to find the images that it uses. */
export function shownHtml(
  { html_header, html_footer }: Frame,
  contents: readonly { html: string }[]
): string[] {
  return [html_header, html_footer, ...contents.map(({ html }) => html)]
}
