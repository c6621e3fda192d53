import type { Language } from '../base/languages.ts'

// The pages that links in messages lead to, as HTML that needs no script.

/** The title, the sentence and the button of a page, as texts. */
export interface PublicPage {
  title: string
  sentence: string
  /** A button that posts to the page's own address. */
  action?: { label: string; fields?: Readonly<Record<string, string>>; isQuiet?: boolean }
  /** Shown above the title, such as the sender's name. */
  brand?: string
}

/** Nothing is loaded or run; a form goes to the server that the page came from. */
export const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/** Contents are written by others: they may show images and run nothing. */
export const messagePolicy =
  "default-src 'none'; img-src * data:; style-src 'unsafe-inline'; font-src *; sandbox allow-popups allow-top-navigation-by-user-activation"

const style = `
:root { color-scheme: light dark; --ink: #18181b; --quiet: #52525b; --ground: #fafafa; --sheet: #fff; --line: #e4e4e7; --accent: #0f766e; --on-accent: #fff }
@media (prefers-color-scheme: dark) { :root { --ink: #f4f4f5; --quiet: #a1a1aa; --ground: #09090b; --sheet: #18181b; --line: #3f3f46; --accent: #2dd4bf; --on-accent: #042f2e } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 30rem; padding: 2rem 1.5rem; background: var(--sheet); border: 1px solid var(--line); border-radius: .75rem; overflow-wrap: anywhere }
h1 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.3 }
p { margin: 0 }
.brand { margin-bottom: 1rem; color: var(--quiet); font-size: .875rem }
form { margin-top: 1.5rem }
button { min-height: 2.75rem; padding: .5rem 1.25rem; border: 1px solid var(--accent); border-radius: .5rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer }
button.quiet { background: transparent; color: var(--accent) }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
`

/** Returns a page as HTML; its texts are escaped. */
export function renderPage({ title, sentence, action, brand }: PublicPage, language: Language): string {
  const hidden = Object.entries(action?.fields ?? {})
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('')
  const quiet = action?.isQuiet ? ' class="quiet"' : ''
  const form = action
    ? `<form method="post">${hidden}<button${quiet}>${escapeHtml(action.label)}</button></form>`
    : ''
  const above = brand ? `<p class="brand">${escapeHtml(brand)}</p>` : ''
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body><main>${above}<h1>${escapeHtml(title)}</h1><p>${escapeHtml(sentence)}</p>${form}</main></body>
</html>
`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character)
}

/** Returns the first of our languages that a browser asks for. @param accepted the header Accept-Language */
export function pageLanguage(accepted: string | undefined): Language {
  for (const part of (accepted ?? '').toLowerCase().split(',').slice(0, 20)) {
    const [name = ''] = part.trim().split(/[-;]/)
    if (name === 'de' || name === 'en') return name
  }
  return 'en'
}
