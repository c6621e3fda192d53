import fc from 'fast-check'
import { resolve } from 'node:path'
import type { JSONContent } from '@tiptap/core'
import type { Page } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { beforeAll, describe, expect, it } from 'vitest'
import { fontNames, imageWidths, type MessageDesign } from '../../src-renderer/message-design/design.ts'
import { roundsToRun } from '../support/long.ts'
import { sharedBrowser, skipsWithoutBrowser } from './browser.ts'

interface Library {
  renderDesign: (design: MessageDesign) => string
  readDesign: (html: string) => MessageDesign | null
  adoptHtml: (html: string) => MessageDesign
  textOfDesign: (design: MessageDesign) => string
  completed: (document: JSONContent) => JSONContent
}
declare const library: Library

const browser = sharedBrowser()
let page: Page

/** The modules as one script, without the window around them. */
async function bundle(): Promise<string> {
  const built = (await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      lib: { entry: resolve('test/e2e/message-design-page.ts'), formats: ['iife'], name: 'library' }
    },
    define: { 'process.env.NODE_ENV': '"production"' }
  })) as Rolldown.RolldownOutput[]
  return built[0]?.output[0].code ?? ''
}

describe.skipIf(skipsWithoutBrowser)('the design of a message, in a real Chromium', () => {
  beforeAll(async () => {
    page = await browser.context.newPage()
    page.on('pageerror', (error) => console.error(error))
    await page.addScriptTag({ content: await bundle() })
  }, 60_000)

  const there = (design: MessageDesign) =>
    page.evaluate((given) => {
      const html = library.renderDesign(given)
      return { html, read: library.readDesign(html), text: library.textOfDesign(given) }
    }, design)

  it('is read back from the HTML that mail programs get, whatever is in it', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31)
    console.log(`designs: seed ${seed}`)
    const designs = fc.sample(design, { seed, numRuns: roundsToRun(150, 2000) })
    const pairs = await page.evaluate(
      (all) =>
        all.map((each) => ({
          read: library.readDesign(library.renderDesign(each)),
          expected: { ...each, document: library.completed(each.document) }
        })),
      designs
    )
    for (const { read, expected } of pairs) expect(read).toEqual(expected)
  })

  it('becomes tables with inlined styles, with its colors in the head', async () => {
    const { html } = await there(example)
    expect(html).toContain('<meta name="generator" content="Listwright 1 #0f766e #ffffff georgia ')
    expect(html).toMatch(/<td\s+align="center" bgcolor="#0f766e"/)
    expect(html).toContain('<!--[if mso | IE]>')
    expect(html).toContain('<a href="%%unsubscribe_link%%" style="color:#0f766e">')
    expect(html).toContain('src="cid:0123456789abcdef0123456789abcdef"')
  })

  it('without content renders to an empty string', async () => {
    const document = { type: 'doc', content: [{ type: 'paragraph' }] }
    const look = { accent: '#4f46e5', background: '#f1f5f9', font: 'arial' } as const
    expect((await there({ preheader: '', look, document })).html).toBe('')
    // What was chosen or written beside the content is kept.
    expect((await there({ preheader: 'Soon', look, document })).read?.preheader).toBe('Soon')
  })

  it('is not read from HTML that was changed or written elsewhere', async () => {
    const { html } = await there(example)
    const read = (changed: string) => page.evaluate((given) => library.readDesign(given), changed)
    expect(await read(html.replace('Hello', 'Goodbye'))).toBeNull()
    expect(await read('<p>Hello</p>')).toBeNull()
    expect(await read('')).toBeNull()
  })

  it('takes over texts, links, codes and pictures of HTML that others wrote', async () => {
    const { document } = await page.evaluate(() =>
      library.adoptHtml(
        '<style>p {}</style><table><tr><td><h1>News</h1><p>Hi %%first_name%%, <a href="https://example.com">look</a></p><img src="https://example.com/a.png" alt="A"><script>alert(1)</script></td></tr></table>'
      )
    )
    expect(document.content?.map(({ type }) => type)).toEqual(['heading', 'paragraph', 'image'])
    expect(document.content?.[1]?.content?.map(({ type, text, attrs }) => text ?? [type, attrs])).toEqual([
      'Hi ',
      ['code', { code: 'first_name' }],
      ', ',
      'look'
    ])
  })

  it('takes over table cells as blocks, the link of a picture, and what inboxes show', async () => {
    const { preheader, document } = await page.evaluate(() =>
      library.adoptHtml(
        '<div style="display: none">Soon</div><table><tr><td>Price</td><td>12</td></tr></table><a href="https://example.com/a"><img src="//example.com/b.png" width="200" alt="B"></a>'
      )
    )
    expect(preheader).toBe('Soon')
    expect(document.content?.slice(0, 2).map(({ content }) => content?.[0]?.text)).toEqual(['Price', '12'])
    expect(document.content?.[2]?.attrs).toEqual({
      src: 'https://example.com/b.png',
      alt: 'B',
      href: 'https://example.com/a',
      width: 25,
      align: 'center'
    })
  })

  it('omits addresses that mail programs do not follow, such as javascript: links', async () => {
    const href = 'javascript:alert(1)'
    const link = { type: 'link', attrs: { href } }
    const { html } = await there({
      ...example,
      document: {
        type: 'doc',
        content: [
          { type: 'paragraph', content: [{ type: 'text', text: 'Look', marks: [link] }] },
          { type: 'button', attrs: { href }, content: [{ type: 'text', text: 'Press' }] }
        ]
      }
    })
    expect(html).toContain('Look')
    expect(html).not.toContain('javascript:')
  })

  it('is also rendered as plain text, with the addresses of its links', async () => {
    expect((await there(example)).text).toBe(
      [
        'Hello %%first_name%%',
        'Read on: https://example.com/?a=1&b=2',
        '- one\n- two',
        'Logo',
        '-'.repeat(40),
        'Left',
        'Right',
        'Unsubscribe: %%unsubscribe_link%%'
      ].join('\n\n')
    )
  })
})

const example: MessageDesign = {
  preheader: 'Look & see',
  look: { accent: '#0f766e', background: '#ffffff', font: 'georgia' },
  document: {
    type: 'doc',
    content: [
      {
        type: 'heading',
        attrs: { level: 1 },
        content: [
          { type: 'text', text: 'Hello ' },
          { type: 'code', attrs: { code: 'first_name' } }
        ]
      },
      {
        type: 'button',
        attrs: { href: 'https://example.com/?a=1&b=2' },
        content: [{ type: 'text', text: 'Read on' }]
      },
      { type: 'bulletList', content: ['one', 'two'].map(item) },
      { type: 'image', attrs: { src: 'cid:0123456789abcdef0123456789abcdef', alt: 'Logo' } },
      { type: 'divider' },
      {
        type: 'columns',
        content: ['Left', 'Right'].map((text) => ({ type: 'column', content: [paragraphOf(text)] }))
      },
      {
        type: 'paragraph',
        attrs: { isSmall: true },
        content: [
          {
            type: 'text',
            text: 'Unsubscribe',
            marks: [{ type: 'link', attrs: { href: '%%unsubscribe_link%%' } }]
          }
        ]
      }
    ]
  }
}

function paragraphOf(text: string): JSONContent {
  return { type: 'paragraph', content: [{ type: 'text', text }] }
}

function item(text: string): JSONContent {
  return { type: 'listItem', content: [paragraphOf(text)] }
}

// Texts without white space at their ends, which browsers do not keep, and without what is read as a code.
const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .map((text) => text.replaceAll(/\s+/g, ' ').trim().replaceAll('%%', '% %'))
  .filter((text) => /^[^\s\p{C}]/u.test(text) && !/[\p{C}\u00a0]/u.test(text))
const align = fc.constantFrom('left', 'center', 'right')
const href = fc.constantFrom('', 'https://example.com/?a=1&b="2"', '%%link_to_web_version%%')
const marks = fc
  .subarray(['bold', 'italic', 'underline', 'strike'])
  .map((names) => names.map((type) => ({ type })))
const inline: fc.Arbitrary<JSONContent> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('text'), text: words, marks }) },
  fc.record({
    type: fc.constant('text'),
    text: words,
    marks: fc
      .constantFrom('https://example.com/ä', '%%unsubscribe_link%%')
      .map((address) => [{ type: 'link', attrs: { href: address } }])
  }),
  fc
    .constantFrom('first_name', 'data_percent', 'notes:raw')
    .map((code) => ({ type: 'code', attrs: { code } }))
)
const line = fc.array(inline, { maxLength: 4 })
const paragraph = fc.record({
  type: fc.constant('paragraph'),
  attrs: fc.record({ textAlign: align, isSmall: fc.boolean() }),
  content: line
})
const heading = fc.record({
  type: fc.constant('heading'),
  attrs: fc.record({ textAlign: align, level: fc.constantFrom(1, 2, 3) }),
  content: line
})
const list = fc.record({
  type: fc.constantFrom('bulletList', 'orderedList'),
  content: fc.array(
    paragraph.map((text) => ({ type: 'listItem', content: [text] })),
    { minLength: 1, maxLength: 3 }
  )
})
const button = fc.record({
  type: fc.constant('button'),
  attrs: fc.record({ href, align }),
  content: fc.array(fc.record({ type: fc.constant('text'), text: words }), { minLength: 1, maxLength: 2 })
})
const image = fc.record({
  type: fc.constant('image'),
  attrs: fc.record({
    src: fc.constantFrom('cid:0123456789abcdef0123456789abcdef', 'https://example.com/a.png?b=1&c'),
    alt: fc.oneof(fc.constant(''), words),
    href,
    width: fc.constantFrom(...imageWidths),
    align
  })
})
const block: fc.Arbitrary<JSONContent> = fc.oneof(
  paragraph,
  heading,
  list,
  button,
  image,
  fc.constant({ type: 'divider' })
)
const columns = fc.record({
  type: fc.constant('columns'),
  content: fc.array(
    fc.array(block, { minLength: 1, maxLength: 3 }).map((content) => ({ type: 'column', content })),
    { minLength: 2, maxLength: 3 }
  )
})
const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)
const design: fc.Arbitrary<MessageDesign> = fc.record({
  preheader: fc.oneof(fc.constant(''), words),
  look: fc.record({ accent: color, background: color, font: fc.constantFrom(...fontNames) }),
  document: fc.record({
    type: fc.constant('doc'),
    // Never nothing: an empty message is no HTML.
    content: fc
      .array(fc.oneof({ weight: 4, arbitrary: block }, columns), { minLength: 1, maxLength: 5 })
      .map((blocks) => [{ type: 'divider' }, ...blocks])
  })
})
