import type { Language } from '../base/languages.ts'
import { type Control, controlHtml, honeypotHtml } from './controls.ts'
import { escapeHtml } from './html.ts'
import { colorStyle, type PageLook } from './look.ts'

// The pages that links in messages lead to, as HTML that needs no script.

/** The title, the sentence and the form of a page, as texts. */
export interface PublicPage {
  title: string
  sentence: string
  /** The fields above the button. */
  controls?: readonly Control[]
  /** A button that posts to the page's own address. */
  action?: { label: string; fields?: Readonly<Record<string, string>>; isQuiet?: boolean }
  /** The label of a field that only programs fill in; left out = there is none. */
  trap?: string
  /** @param href relative to the page's own address */
  link?: { label: string; href: string }
  look: PageLook
}

/** Nothing is loaded or run; a form goes to the server that the page came from. */
export const pagePolicy =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

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
.sentence { white-space: pre-line }
.brand { margin-bottom: 1rem; color: var(--quiet); font-size: .875rem }
form { margin-top: 1.5rem }
button { min-height: 2.75rem; padding: .5rem 1.25rem; border: 1px solid var(--accent); border-radius: .5rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer }
button.quiet { background: transparent; color: var(--ink) }
.logo { display: block; max-width: 100%; max-height: 5rem; margin-bottom: 1rem }
.field { margin: 0 0 1rem; padding: 0; border: 0; display: grid; gap: .25rem }
.field > label, legend { font-weight: 600 }
legend { padding: 0 }
.check { display: flex; gap: .5rem; align-items: start; min-height: 1.75rem }
.check label { font-weight: 400 }
.check input { width: 1.25rem; height: 1.25rem; min-height: 0; margin: .125rem 0 0; flex: none; accent-color: var(--accent) }
small { color: var(--quiet) }
input, select, textarea { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--quiet); border-radius: .5rem; background: var(--sheet); color: var(--ink); font: inherit }
input:focus-visible, select:focus-visible, textarea:focus-visible { outline: 3px solid var(--accent); outline-offset: 1px }
.trap { position: absolute; left: -100rem }
.link { margin-top: 1.5rem }
a { color: var(--ink) }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
`

/** Returns a page as HTML; its texts are escaped. */
export function renderPage(page: PublicPage, language: Language): string {
  const { title, sentence, look, link } = page
  const logo = look.logo === '' ? '' : `<img class="logo" src="${escapeHtml(look.logo)}" alt="">`
  const sender = look.sender === '' ? '' : `<p class="brand">${escapeHtml(look.sender)}</p>`
  const below = link
    ? `<p class="link"><a href="${escapeHtml(link.href)}">${escapeHtml(link.label)}</a></p>`
    : ''
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>${colorStyle(look.color)}
</head>
<body><main>${logo}${sender}<h1>${escapeHtml(title)}</h1><p class="sentence">${escapeHtml(sentence)}</p>${formHtml(page)}${below}</main></body>
</html>
`
}

function formHtml({ action, controls = [], trap }: PublicPage): string {
  if (!action) return ''
  const hidden = Object.entries(action.fields ?? {})
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('')
  const fields = controls.map(controlHtml).join('') + (trap === undefined ? '' : honeypotHtml(trap))
  const quiet = action.isQuiet ? ' class="quiet"' : ''
  return `<form method="post">${hidden}${fields}<button${quiet}>${escapeHtml(action.label)}</button></form>`
}

/** Returns the first of our languages that a browser asks for. @param accepted the header Accept-Language */
export function pageLanguage(accepted: string | undefined): Language {
  for (const part of (accepted ?? '').toLowerCase().split(',').slice(0, 20)) {
    const [name = ''] = part.trim().split(/[-;]/)
    if (name === 'de' || name === 'en') return name
  }
  return 'en'
}
