import type { KeyObject } from 'node:crypto'
import { makeToken, type TokenContent } from '../tracking/tokens.ts'

// Where the links of a message lead, and which links of its content are counted.

/** Addresses in a content: in HTML the target of a link, in plain text one that is written out. */
const linkPattern = {
  html: /(<a\b[^>]*?\shref\s*=\s*)(?:"(https?:\/\/[^"]+)"|'(https?:\/\/[^']+)')/gi,
  text: /()\b(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]])()/gi
}

/** The links of a content whose clicks can be counted, as they stand in it, each once. */
export function linksOf({ html, text }: { html: string; text: string }): string[] {
  const found = new Set<string>()
  for (const [kind, source] of [['html', html] as const, ['text', text] as const]) {
    for (const [, , first, second] of source.matchAll(linkPattern[kind]))
      found.add(targetOf(kind, first ?? second))
  }
  return [...found]
}

/** Puts a replacement code in place of each link, which leads past the counter. */
export function countClicks(
  source: string,
  kind: 'html' | 'text',
  links: readonly { id: number; url: string }[]
): string {
  const ids = new Map(links.map(({ id, url }) => [url, id]))
  return source.replaceAll(
    linkPattern[kind],
    (whole: string, before: string, first?: string, second?: string) => {
      const id = ids.get(targetOf(kind, first ?? second))
      if (id === undefined) return whole
      return kind === 'html' ? `${before}"%%${clickCode(id)}%%"` : `%%${clickCode(id)}%%`
    }
  )
}

/** The key of the replacement code for a link that is counted. */
export function clickCode(linkId: number): string {
  return `link:${linkId}`
}

function targetOf(kind: 'html' | 'text', written = ''): string {
  return kind === 'html' ? written.replaceAll(/&amp;|&#38;/g, '&') : written
}

/** The addresses in a message to somebody. */
export function messageLinks(linkBase: string, secret: KeyObject, named: TokenContent) {
  const unsubscribeToken = makeToken(secret, 'unsubscribe', named)
  const click = makeToken(secret, 'click', named)
  return {
    unsubscribe: `${linkBase}/u/${unsubscribeToken}`,
    unsubscribeToken,
    webVersion: `${linkBase}/w/${makeToken(secret, 'view', named)}`,
    openPixel: `${linkBase}/o/${makeToken(secret, 'open', named)}`,
    click: (linkId: number) => `${linkBase}/c/${linkId}/${click}`
  }
}
