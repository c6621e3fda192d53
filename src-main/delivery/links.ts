import type { KeyObject } from 'node:crypto'
import { attributesIn, type Range, urlsIn } from './markup.ts'
import { targetSignature } from '../gates/keys.ts'
import { makeToken, type TokenContent, type TokenPurpose } from '../api/subscribers/tokens.ts'

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
  /** The gate at linkBase; null = this application answers there. */
  gate: GateOfLinks | null
  /** Without a path; null = nowhere, since readers could not open the links. */
  linkBase: string | null
  /** True if links carry their target where it holds values of the recipient, which are not stored here. */
  carriesTargets: boolean
  /** The address that takes unsubscribes where no link can. */
  mailbox: string
}

/** A gate as links need it. */
export interface GateOfLinks {
  /** Signs the links. */
  secret: KeyObject
  /** Opens the pages of a content. @param content its key, such as s7 */
  pageKey: (content: string) => string
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
    if (linkBase === null) return unsubscribeMail(mailbox, this.unsubscribeToken)
    return `${linkBase}/u/${this.#linkToken('unsubscribe')}${this.#pageKey(`s${this.#named.sliceId}`)}`
  }

  /** '' where no link can be opened. */
  get webVersion(): string {
    const { linkBase } = this.#targets
    return linkBase === null
      ? ''
      : `${linkBase}/w/${this.#linkToken('view')}${this.#pageKey(`s${this.#named.sliceId}`)}`
  }

  /** '' where no link can be opened. @param formId of the form that a subscription was asked for with */
  confirmation(subscriptionId: number, formId: number): string {
    const { linkBase } = this.#targets
    const named = { subscriberId: subscriptionId, sliceId: formId }
    const page = this.#pageKey(`f${formId}`)
    return linkBase === null ? '' : `${linkBase}/s/${this.#linkToken('confirm', named)}${page}`
  }

  get openPixel(): string | undefined {
    const { linkBase } = this.#targets
    return linkBase === null ? undefined : `${linkBase}/o/${this.#linkToken('open')}`
  }

  /** @param target where it leads, if codes in it were filled in: a gate does not know their values */
  click(linkId: number, target: () => string | undefined): string | undefined {
    const { linkBase, gate, carriesTargets } = this.#targets
    if (linkBase === null) return undefined
    const token = (this.#clickToken ??= this.#linkToken('click'))
    const address = `${linkBase}/c/${linkId}/${token}`
    const to = gate || carriesTargets ? target() : undefined
    if (to === undefined) return address
    const signature = targetSignature(gate?.secret ?? this.#secret, linkId, token, to)
    return `${address}?to=${encodeURIComponent(to)}&s=${signature}`
  }

  #linkToken(purpose: TokenPurpose, named = this.#named): string {
    return makeToken(this.#targets.gate?.secret ?? this.#secret, purpose, named)
  }

  /** The end of a link through a gate; '' without one. */
  #pageKey(content: string): string {
    const { gate } = this.#targets
    return gate ? `/${gate.pageKey(content)}` : ''
  }
}
