import { type Extensions, InputRule, mergeAttributes, Node, PasteRule } from '@tiptap/core'
import StarterKit from '@tiptap/starter-kit'
import { imagePath, imageScheme } from '../../src-main/api/images/rules.ts'
import { isLinkAddress } from './addresses.ts'
import { alignmentOf, imageWidths, widthFor } from './design.ts'

// What a message is made of. Each block says how the editor shows it, and how it is read back: from what the editor shows
// (copied and pasted) and from the HTML that mail programs get (`mjml.ts`, whose classes begin with lw-).

const textAlign = {
  default: 'left',
  parseHTML: (element: HTMLElement) => alignmentOf(element.style.textAlign),
  renderHTML: ({ textAlign: value }: Record<string, unknown>) =>
    value === 'left' ? {} : { style: `text-align: ${String(value)}` }
}

const isSmall = {
  default: false,
  parseHTML: (element: HTMLElement) => element.classList.contains('lw-small'),
  renderHTML: ({ isSmall: value }: Record<string, unknown>) => (value === true ? { class: 'lw-small' } : {})
}

const alignedBlocks = Node.create({
  name: 'alignedBlocks',
  addGlobalAttributes: () => [
    { types: ['paragraph', 'heading'], attributes: { textAlign } },
    { types: ['paragraph'], attributes: { isSmall } }
  ]
})

const MessageDocument = Node.create({ name: 'doc', topNode: true, content: '(block | mailBlock | columns)+' })

/** An attribute that the rules of its node read, not one of the same name of the element. */
function asRead<Value>(standard: Value) {
  return { default: standard, parseHTML: () => null }
}

const Button = Node.create({
  name: 'button',
  group: 'mailBlock',
  content: '(text | code)*',
  marks: '',
  defining: true,
  isolating: true,
  addAttributes: () => ({ href: asRead(''), align: asRead('center') }),
  parseHTML: () => [
    {
      tag: 'td.lw-button',
      contentElement: 'a, p',
      getAttrs: (element) => ({
        href: linkOf(element.querySelector('a')?.getAttribute('href')),
        align: alignmentOf(element.getAttribute('align'))
      })
    },
    {
      tag: 'div[data-button]',
      contentElement: 'span',
      getAttrs: ({ dataset }) => ({
        href: linkOf(dataset['href']),
        align: alignmentOf(dataset['align'])
      })
    }
  ],
  renderHTML: ({ node: { attrs } }) => [
    'div',
    { 'data-button': '', 'data-href': attrs['href'] as string, 'data-align': attrs['align'] as string },
    ['span', { class: 'lw-button-label' }, 0]
  ]
})

const Image = Node.create({
  name: 'image',
  group: 'mailBlock',
  atom: true,
  draggable: true,
  addAttributes: () => ({
    src: asRead(''),
    alt: asRead(''),
    href: asRead(''),
    width: asRead(100),
    align: asRead('center')
  }),
  parseHTML: () => [
    {
      tag: 'td.lw-image',
      getAttrs: (element) => {
        const image = element.querySelector('img')
        const src = image?.getAttribute('src') ?? ''
        if (!isImageAddress(src)) return false
        return {
          src,
          alt: image?.alt ?? '',
          href: linkOf(element.querySelector('a')?.getAttribute('href')),
          width: imageWidths.find((width) => element.classList.contains(`lw-width-${width}`)) ?? 100,
          align: alignmentOf(element.getAttribute('align'))
        }
      }
    },
    {
      tag: 'figure[data-image]',
      getAttrs: ({ dataset }) =>
        isImageAddress(dataset['src'] ?? '') && {
          src: dataset['src'],
          alt: dataset['alt'] ?? '',
          href: linkOf(dataset['href']),
          width: imageWidths.find((width) => String(width) === dataset['width']) ?? 100,
          align: alignmentOf(dataset['align'])
        }
    },
    // Pasted from a page or from handwritten HTML.
    {
      tag: 'img[src]',
      getAttrs: (element) => {
        const written = element.getAttribute('src') ?? ''
        const src = written.startsWith('//') ? `https:${written}` : written
        return (
          isImageAddress(src) && {
            src,
            alt: element.getAttribute('alt') ?? '',
            href: linkOf(element.closest('a')?.getAttribute('href')),
            width: widthFor(Number(element.getAttribute('width') ?? Infinity))
          }
        )
      }
    }
  ],
  renderHTML: ({ node: { attrs } }) => {
    const { src, alt, href, width, align } = attrs as Record<'src' | 'alt' | 'href' | 'align', string> & {
      width: number
    }
    return [
      'figure',
      {
        'data-image': '',
        'data-src': src,
        'data-alt': alt,
        'data-href': href,
        'data-width': String(width),
        'data-align': align
      },
      ['img', { src: shownAddress(src), alt, style: `width: ${width}%` }]
    ]
  }
})

function isImageAddress(src: string): boolean {
  return src.startsWith(imageScheme) || /^(?:https?:\/\/|%%)/i.test(src)
}

function linkOf(href: string | null | undefined): string {
  return href != null && isLinkAddress(href) ? href : ''
}

function shownAddress(src: string): string {
  return src.startsWith(imageScheme) ? imagePath(src.slice(imageScheme.length)) : src
}

const Divider = Node.create({
  name: 'divider',
  group: 'mailBlock',
  atom: true,
  parseHTML: () => [{ tag: 'td.lw-divider' }, { tag: 'hr' }],
  renderHTML: () => ['hr']
})

const Columns = Node.create({
  name: 'columns',
  content: 'column column column?',
  isolating: true,
  parseHTML: () => [{ tag: 'div.lw-columns' }],
  renderHTML: () => ['div', { class: 'lw-columns' }, 0]
})

const Column = Node.create({
  name: 'column',
  content: '(block | mailBlock)+',
  isolating: true,
  parseHTML: () => [{ tag: 'div.lw-column' }],
  renderHTML: () => ['div', { class: 'lw-column' }, 0]
})

/** A code as users type or paste it. */
const typedCode = /%%([^%\r\n]{1,300}?)%%$/
const pastedCode = /%%([^%\r\n]{1,300}?)%%/g

function codeNode(labelOf: (code: string) => string): Node {
  return Node.create({
    name: 'code',
    group: 'inline',
    inline: true,
    atom: true,
    addAttributes: () => ({ code: { default: '' } }),
    parseHTML: () => [
      { tag: 'span[data-code]', getAttrs: ({ dataset }) => ({ code: dataset['code'] ?? '' }) }
    ],
    renderHTML: ({ node, HTMLAttributes }) => {
      const code = node.attrs['code'] as string
      return [
        'span',
        mergeAttributes(HTMLAttributes, { 'data-code': code, class: 'lw-code', title: `%%${code}%%` }),
        labelOf(code)
      ]
    },
    renderText: ({ node }) => `%%${node.attrs['code'] as string}%%`,
    addInputRules() {
      return [
        new InputRule({
          find: typedCode,
          handler: ({ state, range, match: [, code] }) =>
            void state.tr.replaceWith(range.from, range.to, this.type.create({ code }))
        })
      ]
    },
    addPasteRules() {
      return [
        new PasteRule({
          find: pastedCode,
          handler: ({ state, range, match: [, code] }) =>
            void state.tr.replaceWith(range.from, range.to, this.type.create({ code }))
        })
      ]
    }
  })
}

/** The schema of messages and what the keyboard does in them. @param labelOf what a chip says of a replacement code */
export function messageExtensions(labelOf: (code: string) => string = (code) => code): Extensions {
  return [
    StarterKit.configure({
      document: false,
      blockquote: false,
      code: false,
      codeBlock: false,
      horizontalRule: false,
      heading: { levels: [1, 2, 3] },
      link: {
        openOnClick: false,
        HTMLAttributes: { rel: null, target: null },
        isAllowedUri: isLinkAddress
      }
    }),
    alignedBlocks,
    MessageDocument,
    Button,
    Image,
    Divider,
    Columns,
    Column,
    codeNode(labelOf)
  ]
}
