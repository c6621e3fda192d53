import type { KeyObject } from 'node:crypto'
import { attributesIn, type Range, urlsIn } from './markup.ts'
import { makeToken, type TokenContent } from '../api/subscribers/tokens.ts'

// Where the links of a message lead, and which links of its content are counted.

/** Returns a link that opens a message which asks to unsubscribe (RFC 6068). */
export function unsubscribeMail(mailbox: string, token: string): string {
  const at = mailbox.lastIndexOf('@')
  const address = encodeURIComponent(mailbox.slice(0, at)) + mailbox.slice(at)
  return `mailto:${address}?subject=unsubscribe%20${token}`
}

/** Returns the links of a content whose clicks can be counted, as written, without duplicates. */
export function linksOf({ html, text }: { html: string; text: string }): string[] {
  const found = new Set<string>()
  for (const link of linksIn(html, 'html')) found.add(link.target)
  for (const link of linksIn(text, 'text')) found.add(link.target)
  return [...found]
}

/** Puts a replacement code in place of each link, which leads past the counter. */
export function countClicks(
  source: string,
  kind: 'html' | 'text',
  links: readonly { id: number; url: string }[]
): string {
  const ids = new Map(links.map(({ id, url }) => [url, id]))
  const parts: string[] = []
  let end = 0
  for (const link of linksIn(source, kind)) {
    const id = ids.get(link.target)
    if (id === undefined) continue
    const code = `%%${clickCode(id)}%%`
    parts.push(source.slice(end, link.start), kind === 'html' ? `"${code}"` : code)
    end = link.end
  }
  return parts.join('') + source.slice(end)
}

/** In HTML the quoted targets of links, in plain text the addresses. */
function* linksIn(source: string, kind: 'html' | 'text'): Generator<Range & { target: string }> {
  if (kind === 'text') {
    for (const { start, end } of urlsIn(source)) yield { start, end, target: source.slice(start, end) }
    return
  }
  for (const { tag, name, start, end, quote } of attributesIn(source)) {
    if (tag !== 'a' || name !== 'href' || quote === '') continue
    const written = source.slice(start, end)
    if (/^https?:\/\/./i.test(written)) {
      // The quotes belong to the target: the new address contains none.
      yield { start: start - 1, end: end + 1, target: written.replaceAll(/&amp;|&#38;/g, '&') }
    }
  }
}

export function clickCode(linkId: number): string {
  return `link:${linkId}`
}

/** The link that a code of {@link clickCode} stands for; null for another code. */
export function linkOfCode(key: string): number | null {
  const [, id] = /^link:(\d{1,15})$/.exec(key) ?? []
  return id === undefined ? null : Number(id)
}

/** Where the links of a message lead. */
export interface LinkTargets {
  /** Without a path; null = nowhere, since readers could not open the links. */
  linkBase: string | null
  /** The address that takes unsubscribes where no link can. */
  mailbox: string
}

/** The addresses in the message to one recipient. Each is made when it is used: to sign one takes as long as a paragraph. */
export class MessageLinks {
  readonly #targets: LinkTargets
  readonly #secret: KeyObject
  readonly #named: TokenContent
  #unsubscribeToken: string | undefined
  #clickToken: string | undefined

  constructor(targets: LinkTargets, secret: KeyObject, named: TokenContent) {
    this.#targets = targets
    this.#secret = secret
    this.#named = named
  }

  get unsubscribeToken(): string {
    return (this.#unsubscribeToken ??= makeToken(this.#secret, 'unsubscribe', this.#named))
  }

  get unsubscribe(): string {
    const { linkBase, mailbox } = this.#targets
    const token = this.unsubscribeToken
    return linkBase === null ? unsubscribeMail(mailbox, token) : `${linkBase}/u/${token}`
  }

  /** '' where no link can be opened. */
  get webVersion(): string {
    const { linkBase } = this.#targets
    return linkBase === null ? '' : `${linkBase}/w/${makeToken(this.#secret, 'view', this.#named)}`
  }

  /** '' where no link can be opened. @param formId of the form that a subscription was asked for with */
  confirmation(subscriptionId: number, formId: number): string {
    const { linkBase } = this.#targets
    const named = { subscriberId: subscriptionId, sliceId: formId }
    return linkBase === null ? '' : `${linkBase}/s/${makeToken(this.#secret, 'confirm', named)}`
  }

  get openPixel(): string | undefined {
    const { linkBase } = this.#targets
    return linkBase === null ? undefined : `${linkBase}/o/${makeToken(this.#secret, 'open', this.#named)}`
  }

  click(linkId: number): string | undefined {
    const { linkBase } = this.#targets
    this.#clickToken ??= makeToken(this.#secret, 'click', this.#named)
    return linkBase === null ? undefined : `${linkBase}/c/${linkId}/${this.#clickToken}`
  }
}
