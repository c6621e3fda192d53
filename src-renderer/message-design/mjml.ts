import type { JSONContent } from '@tiptap/core'
import { isLinkAddress } from './addresses.ts'
import { alignmentOf, fonts, type Look, margin, type MessageDesign, width } from './design.ts'

// MJML makes of these tags the tables, inlined styles and conditional comments that mail programs need. The classes that begin
// with lw- are how `nodes.ts` reads the blocks back.

const textColor = '#1e293b'
const smallColor = '#64748b'

const headingStyles: Record<number, string> = {
  1: 'font-size:28px;line-height:1.25;margin:0 0 16px',
  2: 'font-size:22px;line-height:1.3;margin:0 0 12px',
  3: 'font-size:18px;line-height:1.35;margin:0 0 8px'
}

export function toMjml({ preheader, look, document }: MessageDesign): string {
  const { font, background } = look
  return [
    '<mjml><mj-head>',
    preheader === '' ? '' : `<mj-preview>${escape(preheader)}${preheaderEnd}</mj-preview>`,
    `<mj-attributes><mj-all font-family="${fonts[font]}" /><mj-text font-size="16px" line-height="1.5" color="${textColor}" padding="8px ${margin}px" /><mj-section background-color="#ffffff" padding="0" /></mj-attributes>`,
    `</mj-head><mj-body background-color="${escape(background)}" width="${width}px">`,
    spacer,
    ...sectionsOf(document.content ?? []).map((section) => sectionOf(section, look)),
    spacer,
    '</mj-body></mjml>'
  ].join('')
}

/** Invisible characters that keep inboxes from showing the message's text after the preview text. */
export const preheaderEnd = '\u034f\u200c\u00a0'.repeat(60)

/** A stripe of the background above and below the message. */
const spacer = '<mj-section background-color="transparent" padding="12px 0"></mj-section>'

/** Blocks one below the other share a section; columns are one of their own. */
function sectionsOf(blocks: JSONContent[]): JSONContent[][] {
  const sections: JSONContent[][] = []
  for (const block of blocks) {
    const last = sections.at(-1)
    if (block.type === 'columns' || last === undefined || last[0]?.type === 'columns') sections.push([block])
    else last.push(block)
  }
  return sections
}

function sectionOf(blocks: JSONContent[], look: Look): string {
  const [first] = blocks
  if (first?.type !== 'columns') {
    return `<mj-section padding="8px 0"><mj-column>${columnOf(blocks, look, width)}</mj-column></mj-section>`
  }
  const columns = first.content ?? []
  const columnWidth = Math.floor(width / columns.length)
  const parts = columns.map(
    ({ content = [] }) =>
      `<mj-column css-class="lw-column">${columnOf(content, look, columnWidth)}</mj-column>`
  )
  return `<mj-section css-class="lw-columns" padding="8px 0">${parts.join('')}</mj-section>`
}

function columnOf(blocks: JSONContent[], look: Look, columnWidth: number): string {
  const parts: string[] = []
  let texts = ''
  const endTexts = (): void => {
    if (texts !== '') parts.push(`<mj-text>${texts}</mj-text>`)
    texts = ''
  }
  for (const block of blocks) {
    const text = textBlock(block, look)
    if (text !== null) {
      texts += text
      continue
    }
    endTexts()
    parts.push(mailBlock(block, look, columnWidth))
  }
  endTexts()
  return parts.join('')
}

/** HTML of a block of text; null for another block. @param space below a paragraph, in pixels */
function textBlock({ type, attrs = {}, content = [] }: JSONContent, look: Look, space = 16): string | null {
  switch (type) {
    case 'paragraph': {
      const size = attrs['isSmall'] === true ? `font-size:13px;color:${smallColor};` : ''
      const small = attrs['isSmall'] === true ? ' class="lw-small"' : ''
      return `<p${small} style="margin:0 0 ${space}px;${size}${aligned(attrs)}">${inline(content, look) || '&nbsp;'}</p>`
    }
    case 'heading': {
      const level = Number(attrs['level'])
      return `<h${level} style="${headingStyles[level] ?? ''};${aligned(attrs)}">${inline(content, look) || '&nbsp;'}</h${level}>`
    }
    case 'bulletList':
      return `<ul style="margin:0 0 16px;padding-left:24px">${items(content, look)}</ul>`
    case 'orderedList': {
      const start = Number(attrs['start'] ?? 1)
      return `<ol${start === 1 ? '' : ` start="${start}"`} style="margin:0 0 16px;padding-left:24px">${items(content, look)}</ol>`
    }
    default:
      return null
  }
}

function items(content: JSONContent[], look: Look): string {
  return content
    .map(({ content: blocks = [] }) => {
      const texts = blocks.map((block) => textBlock(block, look, 0) ?? '')
      return `<li style="margin:0 0 4px">${texts.join('')}</li>`
    })
    .join('')
}

function mailBlock({ type, attrs = {}, content = [] }: JSONContent, look: Look, columnWidth: number): string {
  const padding = `padding="8px ${margin}px"`
  switch (type) {
    case 'button': {
      const link = linkTo(attrs['href'])
      return `<mj-button css-class="lw-button" ${padding} inner-padding="12px 24px" border-radius="6px" font-size="16px" font-weight="bold" align="${alignmentOf(attrs['align'])}" background-color="${escape(look.accent)}" color="${contrast(look.accent)}"${link}>${inline(content, look)}</mj-button>`
    }
    case 'image': {
      const share = Number(attrs['width'])
      const link = linkTo(attrs['href'])
      const pixels = Math.round(((columnWidth - 2 * margin) * share) / 100)
      return `<mj-image css-class="lw-image lw-width-${share}" ${padding} src="${escape(String(attrs['src']))}" alt="${escape(String(attrs['alt']))}" align="${alignmentOf(attrs['align'])}" width="${pixels}px"${link} />`
    }
    case 'divider':
      return `<mj-divider css-class="lw-divider" ${padding} border-width="1px" border-color="#cbd5e1" />`
    default:
      throw new Error(`a message has no block "${type}"`)
  }
}

function linkTo(href: unknown): string {
  return typeof href === 'string' && isLinkAddress(href) ? ` href="${escape(href)}"` : ''
}

function aligned(attrs: Record<string, unknown>): string {
  const alignment = alignmentOf(attrs['textAlign'])
  return alignment === 'left' ? '' : `text-align:${alignment}`
}

function inline(content: JSONContent[], look: Look): string {
  return content.map((node) => marked(node, look)).join('')
}

const tags: Record<string, string> = { bold: 'strong', italic: 'em', underline: 'u', strike: 's' }

function marked({ type, text = '', attrs = {}, marks = [] }: JSONContent, look: Look): string {
  // Browsers collapse runs of spaces into one.
  const written = escape(text.replaceAll('\t', ' ')).replaceAll('  ', ' &nbsp;')
  const plain =
    type === 'hardBreak' ? '<br>' : type === 'code' ? `%%${escape(String(attrs['code']))}%%` : written
  return marks.reduce((inner, { type: mark, attrs: settings = {} }) => {
    if (mark === 'link') {
      const link = linkTo(settings['href'])
      return link === '' ? inner : `<a${link} style="color:${escape(look.accent)}">${inner}</a>`
    }
    const tag = tags[mark]
    return tag === undefined ? inner : `<${tag}>${inner}</${tag}>`
  }, plain)
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escape(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character)
}

/** Black or white, whichever is read more easily on a color (`#rrggbb`; WCAG 2.2, relative luminance). */
export function contrast(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff'
}
