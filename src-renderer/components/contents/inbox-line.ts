const shownCharacters = 160

export function inboxLine(html: string): string {
  const page = new DOMParser().parseFromString(html, 'text/html')
  for (const each of page.querySelectorAll('style, script, title')) each.remove()
  for (const each of page.querySelectorAll('p, div, td, li, br, h1, h2, h3, h4')) each.after(' ')
  // Inboxes show nothing that follows characters without a width.
  const [shown = ''] = (page.body.textContent ?? '').split('\u034f')
  return shown.replaceAll(/\s+/g, ' ').trim().slice(0, shownCharacters)
}
