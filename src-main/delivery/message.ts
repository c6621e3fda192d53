import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { ContentFormat } from '../api/autoresponders/schema.ts'
import { type AttachedFile, attachedFilesOf } from '../api/attachments/queries.ts'
import { type Image, imagesOf } from '../api/images/queries.ts'
import { imageKeysIn, linkImages } from '../api/images/rules.ts'
import { makeBounceToken, messageHeader, messageIdOf, withPlus } from '../api/subscribers/bounce-tokens.ts'
import { atEndOfBody, framedHtml, framedText, shownHtml } from './frame.ts'
import { gateSecretOf, pageKeyOf } from '../gates/keys.ts'
import { countClicks, type GateOfLinks, linkOfCode, MessageLinks, unsubscribeMail } from './links.ts'
import {
  dateLine,
  encodedAddress,
  headerLine,
  headerName,
  messageIdLine,
  recipientLine
} from './mime/headers.ts'
import {
  attachedFile,
  inlineFile,
  type Part,
  type TextEncoding,
  textEncodingOf,
  writeMessage
} from './mime/write-message.ts'
import type { MessagePlan, PlannedContent } from './plan.ts'
import {
  blankCodes,
  type Codes,
  codesOf,
  type CompiledText,
  compile,
  type Recipient,
  unknownCodes,
  writeContent
} from './replacement.ts'
import type { OutgoingMessage } from './transport.ts'

export interface Addressee extends Omit<Recipient, 'links' | 'tracked'> {
  /** The format that the subscriber chose, if the list allows it; null = any. */
  format: ContentFormat | null
  /** What the message asks to confirm. */
  asked?: { subscriptionId: number; formId: number }
}

/** A content with replaced codes; a missing part is undefined. */
export interface WrittenContent {
  subject: string
  html: string | undefined
  text: string | undefined
}

export interface ComposedMessage extends OutgoingMessage {
  format: ContentFormat
}

interface Compiled {
  subject: CompiledText
  html: CompiledText
  text: CompiledText
  encodings: { html: TextEncoding; text: TextEncoding }
}

interface CountedLink {
  /** Its address, if that holds codes. */
  compiled: CompiledText | undefined
}

/** The files that messages carry along. */
export interface CarriedFiles {
  /** None where recipients load them. */
  images: readonly Image[]
  attachments: readonly AttachedFile[]
}

/** Returns the files that each message of a plan carries. */
export async function carriedFiles(
  db: Kysely<Schema>,
  { linksImages, organizationId, frame, contents, attachmentsOf }: MessagePlan
): Promise<CarriedFiles> {
  return {
    images: linksImages ? [] : await imagesOf(db, organizationId, shownHtml(frame, contents)),
    attachments: attachmentsOf === null ? [] : await attachedFilesOf(db, attachmentsOf)
  }
}

/**
 * Composes the messages of a campaign. A content is compiled on first use, and written for each recipient.
 */
export class MessageComposer {
  readonly #plan: MessagePlan
  readonly #images: ReadonlyMap<string, Part>
  readonly #attachments: readonly Part[]
  readonly #gate: GateOfLinks | null
  readonly #codes: Codes
  readonly #compiled = new Map<number, Compiled>()
  readonly #counted = new Map<number, ReadonlyMap<number, CountedLink>>()
  readonly #headers: { name: string; value: CompiledText }[]
  /** The header fields that all messages share, and the domain of their ids. */
  readonly #shared: { first: string; from: string; replyTo: string; domain: string; mailbox: string }

  constructor(plan: MessagePlan, { images, attachments }: CarriedFiles = { images: [], attachments: [] }) {
    this.#plan = plan
    this.#gate = plan.gate && gateOfLinks(plan)
    this.#images = new Map(
      images.map(({ key, name, media_type, bytes }) => [
        key,
        inlineFile({ id: key, name, mediaType: media_type, bytes: Buffer.from(bytes) })
      ])
    )
    this.#attachments = attachments.map(({ name, media_type, bytes }) =>
      attachedFile({ name, mediaType: media_type, bytes: Buffer.from(bytes) })
    )
    this.#codes = codesOf(plan, Date.now())
    this.#headers = plan.customHeaders.map(({ name, value }) => ({
      name: headerName(name),
      value: compile(value, 'text')
    }))
    const { from_name, from_email, sender_email, reply_to } = plan.sender
    this.#shared = {
      first: headerLine('X-Campaignid', `s4:${plan.xCampaignId}`),
      from: addressLine('From', from_email, from_name ?? '') + addressLine('Sender', sender_email),
      replyTo: addressLine('Reply-To', reply_to),
      domain: /@([^@>]*)>?$/.exec(encodedAddress(from_email))?.[1] ?? 'localhost',
      mailbox: plan.bounceAddress ?? (reply_to || from_email)
    }
  }

  write(contentId: number, addressee: Addressee): WrittenContent {
    const content = this.#find(contentId)
    const recipient = this.#recipientOf(content, addressee)
    const { html, ...others } = this.#write(content, recipient, formatFor(content.format, addressee.format))
    const { linkBase } = this.#plan
    return { ...others, html: html === undefined || linkBase === null ? html : linkImages(html, linkBase) }
  }

  writeLink(url: string, contentId: number, addressee: Addressee): string {
    const recipient = this.#recipientOf(this.#find(contentId), addressee)
    return writeContent(compile(url, 'text'), this.#codes, recipient)
  }

  /** Returns the codes of a content that mean nothing, as they stand in it. */
  unknownCodes(contentId: number): string[] {
    const { subject, html, text } = this.#compile(this.#find(contentId))
    const own = new Set<string | undefined>([openPixelCode, 'confirm_link'])
    return [subject, html, text]
      .flatMap((part) => unknownCodes(part, this.#codes))
      .filter((source) => !own.has(source.slice(2, -2)) && linkOfCode(source.slice(2, -2)) === null)
  }

  /** Returns the codes of a content that a recipient has no value for, each once, as they stand in it. */
  blankCodes(contentId: number, addressee: Addressee): { source: string; hasFallback: boolean }[] {
    const content = this.#find(contentId)
    const { subject, html, text } = this.#compile(content)
    const recipient = this.#recipientOf(content, addressee)
    const all = [subject, html, text].flatMap((part) => blankCodes(part, this.#codes, recipient))
    return [...new Map(all.map((code) => [code.source, code])).values()]
  }

  /** Returns the format in which a recipient gets a content. */
  formatOf(contentId: number, { format }: Addressee): ContentFormat {
    return formatFor(this.#find(contentId).format, format)
  }

  /** @param number tells messages of the content to one recipient apart, if the message is in the journal */
  compose(contentId: number, addressee: Addressee, number?: number): ComposedMessage {
    const content = this.#find(contentId)
    const recipient = this.#recipientOf(content, addressee)
    const format = formatFor(content.format, addressee.format)
    const written = this.#write(content, recipient, format)
    const token = this.#bounceToken(content, addressee, number)
    return {
      envelope: { from: this.#returnPath(token), to: addressee.email },
      content: writeMessage(
        this.#headersOf(written.subject, recipient, this.#messageId(content, addressee, number), token),
        this.#withAttachments(this.#bodyOf(content, written))
      ),
      format
    }
  }

  /** A message that is sent again has the id that it had: mail systems may recognize it by that. */
  #messageId({ sliceId }: PlannedContent, { id }: Addressee, number: number | undefined): string | undefined {
    if (number === undefined) return undefined
    return messageIdOf(this.#plan.signingSecret, { sliceId, subscriberId: id, number })
  }

  /** Names the message in its bounces; undefined for one that is not in the journal. */
  #bounceToken(
    { sliceId }: PlannedContent,
    { id }: Addressee,
    number: number | undefined
  ): string | undefined {
    if (number === undefined) return undefined
    return makeBounceToken(this.#plan.signingSecret, { sliceId, subscriberId: id, number })
  }

  #returnPath(token: string | undefined): string {
    const { sender, bounceAddress, hasPlusAddressing } = this.#plan
    const address = bounceAddress ?? sender.from_email
    return hasPlusAddressing && token !== undefined ? withPlus(address, token) : address
  }

  #headersOf(
    subject: string,
    recipient: Recipient,
    messageId: string | undefined,
    token: string | undefined
  ): string {
    const { first, from, replyTo, domain } = this.#shared
    const custom = this.#headers.map(({ name, value }) =>
      headerLine(name, writeContent(value, this.#codes, recipient))
    )
    return [
      first,
      token === undefined ? '' : `${messageHeader}: ${token}\r\n`,
      this.#unsubscribeLines(recipient.links),
      ...custom,
      from,
      recipientLine(recipient.email),
      replyTo,
      headerLine('Subject', subject),
      messageIdLine(domain, messageId),
      dateLine(Date.now()),
      'MIME-Version: 1.0\r\n'
    ].join('')
  }

  /** A message that leaves this computer offers one-click unsubscribing (RFC 8058) only by a gate, which answers from outside; mail works everywhere. */
  #unsubscribeLines({ unsubscribe, unsubscribeToken }: Recipient['links']): string {
    if (this.#plan.asksToConfirm) return ''
    if (!this.#plan.leaves) {
      return headerLine('List-Unsubscribe', `<${unsubscribe}>`) + oneClickLine
    }
    const mail = unsubscribeMail(this.#shared.mailbox, unsubscribeToken)
    const ways = unsubscribe === mail ? [mail] : [mail, unsubscribe]
    const oneClick = this.#gate ? oneClickLine : ''
    return headerLine('List-Unsubscribe', ways.map((way) => `<${way}>`).join(', ')) + oneClick
  }

  #withAttachments(body: Part): Part {
    if (this.#attachments.length === 0) return body
    return { kind: 'multipart', subtype: 'mixed', parts: [body, ...this.#attachments] }
  }

  #bodyOf(content: PlannedContent, { html = '', text = '' }: WrittenContent): Part {
    const { encodings } = this.#compile(content)
    const plain: Part = { kind: 'text', subtype: 'plain', encoding: encodings.text, text }
    if (html === '') return plain
    const page: Part = { kind: 'text', subtype: 'html', encoding: encodings.html, text: html }
    const images = this.#imagesIn(html)
    const shown: Part =
      images.length === 0 ? page : { kind: 'multipart', subtype: 'related', parts: [page, ...images] }
    return text === '' ? shown : { kind: 'multipart', subtype: 'alternative', parts: [plain, shown] }
  }

  #imagesIn(html: string): Part[] {
    if (this.#images.size === 0) return []
    return imageKeysIn(html).flatMap((key) => this.#images.get(key) ?? [])
  }

  #write(content: PlannedContent, recipient: Recipient, format: ContentFormat): WrittenContent {
    const { subject, html, text } = this.#compile(content)
    return {
      subject: writeContent(subject, this.#codes, recipient),
      html: format === 'text' ? undefined : writeContent(html, this.#codes, recipient),
      text: format === 'html' ? undefined : writeContent(text, this.#codes, recipient)
    }
  }

  #compile(content: PlannedContent): Compiled {
    const known = this.#compiled.get(content.id)
    if (known) return known
    const { frame, tracksOpens, linksImages, linkBase } = this.#plan
    const framed = framedHtml(countClicks(content.html, 'html', content.links), frame)
    const html = linksImages && linkBase !== null ? linkImages(framed, linkBase) : framed
    const text = framedText(countClicks(content.text, 'text', content.links), frame)
    const compiled = {
      subject: compile(content.subject, 'text'),
      html: compile(tracksOpens && content.sliceId > 0 ? withOpenPixel(html) : html, 'html'),
      text: compile(text, 'text'),
      encodings: { html: textEncodingOf(html), text: textEncodingOf(text) }
    }
    this.#compiled.set(content.id, compiled)
    return compiled
  }

  #find(contentId: number): PlannedContent {
    const found = this.#plan.contents.find(({ id }) => id === contentId)
    if (!found) throw new Error(`content ${contentId} is not part of campaign ${this.#plan.campaign.id}`)
    return found
  }

  #countedIn({ id, links }: PlannedContent): ReadonlyMap<number, CountedLink> {
    const known = this.#counted.get(id)
    if (known) return known
    const counted = new Map(
      links.map(({ id: linkId, url }): [number, CountedLink] => [
        linkId,
        { compiled: url.includes('%%') ? compile(url, 'text') : undefined }
      ])
    )
    this.#counted.set(id, counted)
    return counted
  }

  #recipientOf(content: PlannedContent, addressee: Addressee): Recipient {
    const { linkBase, signingSecret, isRemote } = this.#plan
    const { asked } = addressee
    const named = { subscriberId: addressee.id, sliceId: content.sliceId }
    const targets = {
      ...{ linkBase, gate: this.#gate, mailbox: this.#shared.mailbox },
      carriesTargets: isRemote
    }
    const links = new MessageLinks(targets, signingSecret, named)
    const tracked = (key: string): string | undefined => {
      if (key === openPixelCode) return links.openPixel
      if (key === 'confirm_link') return asked && links.confirmation(asked.subscriptionId, asked.formId)
      const id = linkOfCode(key)
      if (id === null) return undefined
      const target = this.#countedIn(content).get(id)
      return target && links.click(id, () => this.#filledIn(target, recipient))
    }
    const recipient: Recipient = { ...addressee, links, tracked }
    return recipient
  }

  /** Returns the target of a link whose address holds codes; undefined for one without. */
  #filledIn({ compiled }: CountedLink, recipient: Recipient): string | undefined {
    return compiled && writeContent(compiled, this.#codes, recipient)
  }
}

/** '' without an address. */
function addressLine(header: string, address: string | null, name = ''): string {
  return address ? headerLine(header, { name, address }) : ''
}

const openPixelCode = 'open_pixel'
const oneClickLine = 'List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n'

/** Returns how the links of a plan through its gate are made. */
export function gateOfLinks({
  signingSecret: secret,
  organizationId
}: Pick<MessagePlan, 'signingSecret' | 'organizationId'>): GateOfLinks {
  const keys = new Map<string, string>()
  return {
    secret: gateSecretOf(secret, organizationId),
    pageKey: (content) => {
      const known = keys.get(content) ?? pageKeyOf(secret, content)
      keys.set(content, known)
      return known
    }
  }
}

function withOpenPixel(html: string): string {
  return atEndOfBody(html, `<img src="%%${openPixelCode}%%" width="1" height="1" alt="">`)
}

/** A subscriber who chose plain text gets it if there is any. */
function formatFor(content: ContentFormat, wanted: ContentFormat | null): ContentFormat {
  return content === 'both' && wanted !== null ? wanted : content
}
