import type { JSONContent } from '@tiptap/core'

// Messages to begin with, in the language of the window, from its texts.

type Translate = (key: string) => string

const text = (content: string): JSONContent => ({ type: 'text', text: content })
const paragraph = (...content: JSONContent[]): JSONContent => ({ type: 'paragraph', content })
const heading = (level: number, content: string): JSONContent => ({
  type: 'heading',
  attrs: { level },
  content: [text(content)]
})
const button = (label: string): JSONContent => ({
  type: 'button',
  attrs: { href: '' },
  content: [text(label)]
})

/** Codes that are links: what a reader sees is a text, and the code is where it leads. */
const linkTexts: Record<string, string> = {
  unsubscribe_link: 'design.unsubscribe',
  link_to_web_version: 'design.webVersion'
}

/** A replacement code as it is put into a message: a chip, or a link. @param code without its %% */
export function codeContent(code: string, t: Translate): JSONContent {
  const label = linkTexts[code]
  if (label === undefined) return { type: 'code', attrs: { code } }
  return { type: 'text', text: t(label), marks: [{ type: 'link', attrs: { href: `%%${code}%%` } }] }
}

function footer(t: Translate): JSONContent[] {
  return [
    { type: 'divider' },
    {
      type: 'paragraph',
      attrs: { isSmall: true, textAlign: 'center' },
      content: [text(`${t('starter.footer')} `), codeContent('unsubscribe_link', t)]
    }
  ]
}

function column(t: Translate, title: string): JSONContent {
  return { type: 'column', content: [heading(2, t(title)), paragraph(text(t('starter.shortText')))] }
}

export const starters = {
  letter: (t: Translate): JSONContent => ({
    type: 'doc',
    content: [paragraph(text(t('starter.greeting'))), paragraph(text(t('starter.longText'))), ...footer(t)]
  }),
  announcement: (t: Translate): JSONContent => ({
    type: 'doc',
    content: [
      heading(1, t('starter.headline')),
      paragraph(text(t('starter.longText'))),
      button(t('design.buttonLabel')),
      ...footer(t)
    ]
  }),
  newsletter: (t: Translate): JSONContent => ({
    type: 'doc',
    content: [
      heading(1, t('starter.headline')),
      paragraph(text(t('starter.longText'))),
      { type: 'divider' },
      { type: 'columns', content: [column(t, 'starter.firstStory'), column(t, 'starter.secondStory')] },
      button(t('design.buttonLabel')),
      ...footer(t)
    ]
  })
}
