import { getSchema } from '@tiptap/core'
import { DOMParser as DocumentParser } from '@tiptap/pm/model'
import mjml2html from 'mjml-browser'
import { digest } from 'ohash'
import { codePattern } from '../../src-main/api/campaigns/replacement-codes.ts'
import { defaultLook, fontNames, isEmptyDocument, type Look, type MessageDesign } from './design.ts'
import { toMjml } from './mjml.ts'
import { messageExtensions } from './nodes.ts'

// A message is stored only as the HTML that is sent, so that other programs and computers have all of it. A
// marker in its head says that this editor wrote it, and a digest that it was not changed since: then it can
// be read back.

const schema = getSchema(messageExtensions())

/** @returns HTML for mail programs; '' for a message without content */
export function renderDesign(design: MessageDesign): string {
  if (isBlank(design)) return ''
  const { html } = mjml2html(toMjml(design), { validationLevel: 'skip', keepComments: false })
  // The indentation of MJML is more than half of it, and Gmail cuts messages off at 102 kB.
  const lean = html.replaceAll(/^\s+/gm, '').replaceAll(/\s+$/gm, '')
  const { accent, background, font } = design.look
  return lean.replace('<head>', `<head>\n${mark(`${accent} ${background} ${font}`, digest(lean))}`)
}

function isBlank({ preheader, look, document }: MessageDesign): boolean {
  const isStandard = look.accent === defaultLook.accent && look.background === defaultLook.background
  return isEmptyDocument(document) && preheader === '' && isStandard && look.font === defaultLook.font
}

/** @param look @param checksum of the HTML without this mark */
function mark(look: string, checksum: string): string {
  return `<meta name="generator" content="Listwright 1 ${look} ${checksum}">`
}

const marked =
  /<head>\n<meta name="generator" content="Listwright 1 ((#[0-9a-f]{6}) (#[0-9a-f]{6}) ([a-z]+)) ([\w-]+)">/

/** The design that a HTML was rendered from; null when it was written or changed by other means. */
export function readDesign(html: string): MessageDesign | null {
  const found = marked.exec(html)
  if (!found) return null
  const [, , accent = '', background = '', name, checksum] = found
  const font = fontNames.find((each) => each === name)
  if (font === undefined || digest(html.replace(marked, '<head>')) !== checksum) return null
  return parse(html, { accent, background, font })
}

/** Converts HTML from elsewhere: texts, images and links without the layout. */
export function adoptHtml(html: string): MessageDesign {
  return parse(untangleTables(html), defaultLook)
}

/** HTML that others wrote, with each cell of its tables a block of its own: most mail stands in tables. */
export function untangleTables(html: string): string {
  const page = new DOMParser().parseFromString(html, 'text/html')
  for (const cell of page.querySelectorAll('td:not([class*="lw-"]), th')) {
    const block = page.createElement('div')
    block.append(...cell.childNodes)
    cell.replaceWith(block)
  }
  return page.documentElement.outerHTML
}

function parse(html: string, look: Look): MessageDesign {
  const page = new DOMParser().parseFromString(html, 'text/html')
  const hidden = [...page.querySelectorAll('[style]')].filter((element) =>
    /display\s*:\s*none/i.test(element.getAttribute('style') ?? '')
  )
  const [shownFirst = ''] = (hidden[0]?.textContent ?? '').split(/[\u034f\u200c]/)
  const preheader = shownFirst.replaceAll(/\s+/g, ' ').trim()
  for (const each of [...hidden, ...page.querySelectorAll('script, style, title')]) each.remove()
  for (const block of page.querySelectorAll('p, h1, h2, h3')) {
    if (block.textContent === '\u00a0') block.replaceChildren()
  }
  showCodes(page)
  return {
    preheader,
    look,
    document: DocumentParser.fromSchema(schema).parse(page.body).toJSON() as MessageDesign['document']
  }
}

/** Turns the replacement codes in texts into chips; those in attributes stay. */
function showCodes(page: Document): void {
  const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT)
  const texts: Text[] = []
  while (walker.nextNode()) texts.push(walker.currentNode as Text)
  for (const text of texts) {
    const parts: (string | Node)[] = []
    let end = 0
    for (const match of text.data.matchAll(codePattern)) {
      const chip = page.createElement('span')
      chip.dataset['code'] = match[0].slice(2, -2)
      parts.push(text.data.slice(end, match.index), chip)
      end = match.index + match[0].length
    }
    if (end > 0) text.replaceWith(...parts, text.data.slice(end))
  }
}
