import MailComposer from 'nodemailer/lib/mail-composer'
import type { Kysely } from 'kysely'
import type { Attachment } from 'nodemailer/lib/mailer'
import type { Schema } from '../database/schema.ts'
import type { ContentFormat } from '../api/autoresponders/schema.ts'
import { type Image, imagesOf } from '../api/images/queries.ts'
import { imageKeysIn, linkImages } from '../api/images/rules.ts'
import { atEndOfBody, framedHtml, framedText, shownHtml } from './frame.ts'
import { countClicks, linkOfCode, messageLinks } from './links.ts'
import type { MessagePlan, PlannedContent } from './plan.ts'
import {
  type Codes,
  codesOf,
  type CompiledText,
  compile,
  type Recipient,
  writeContent
} from './replacement.ts'
import type { OutgoingMessage } from './transport.ts'

export interface Addressee extends Omit<Recipient, 'links'> {
  /** The format that the subscriber chose, if the list allows it; null = any. */
  format: ContentFormat | null
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
}

/** The pictures that each message of a plan carries along; none where recipients fetch them. */
export async function imagesCarried(
  db: Kysely<Schema>,
  { linksImages, organizationId, frame, contents }: MessagePlan
): Promise<Image[]> {
  return linksImages ? [] : imagesOf(db, organizationId, shownHtml(frame, contents))
}

/**
 * Composes the messages of a campaign. A content is compiled on first use, and written for each recipient.
 */
export class MessageComposer {
  readonly #plan: MessagePlan
  readonly #images: readonly Image[]
  readonly #codes: Codes
  readonly #compiled = new Map<number, Compiled>()
  readonly #counted = new Map<number, ReadonlySet<number>>()
  readonly #headers: { name: string; value: CompiledText }[]

  constructor(plan: MessagePlan, images: readonly Image[] = []) {
    this.#plan = plan
    this.#images = images
    this.#codes = codesOf(plan, Date.now())
    this.#headers = plan.customHeaders.map(({ name, value }) => ({ name, value: compile(value, 'text') }))
  }

  write(contentId: number, addressee: Addressee): WrittenContent {
    const content = this.#find(contentId)
    const recipient = this.#recipientOf(content, addressee)
    const { html, ...others } = this.#write(content, recipient, formatFor(content.format, addressee.format))
    return { ...others, html: html === undefined ? undefined : linkImages(html, this.#plan.linkBase) }
  }

  writeLink(url: string, contentId: number, addressee: Addressee): string {
    const recipient = this.#recipientOf(this.#find(contentId), addressee)
    return writeContent(compile(url, 'text'), this.#codes, recipient)
  }

  async compose(contentId: number, addressee: Addressee): Promise<ComposedMessage> {
    const { sender, bounceAddress, xCampaignId } = this.#plan
    const content = this.#find(contentId)
    const recipient = this.#recipientOf(content, addressee)
    const format = formatFor(content.format, addressee.format)
    const { subject, html, text } = this.#write(content, recipient, format)
    const mail = new MailComposer({
      from: { name: sender.from_name ?? '', address: sender.from_email },
      ...(sender.sender_email && { sender: sender.sender_email }),
      ...(sender.reply_to && { replyTo: sender.reply_to }),
      to: { name: '', address: addressee.email },
      subject,
      ...(html !== undefined && { html, attachments: this.#attachmentsOf(html) }),
      ...(text !== undefined && { text }),
      headers: [
        { key: 'X-CampaignID', value: `s4:${xCampaignId}` },
        { key: 'List-Unsubscribe', value: `<${recipient.links.unsubscribe}>` },
        { key: 'List-Unsubscribe-Post', value: 'List-Unsubscribe=One-Click' },
        ...this.#headers.map(({ name, value }) => ({
          key: name,
          value: writeContent(value, this.#codes, recipient)
        }))
      ],
      // A code in a content must not make the application read a file or fetch an address.
      disableFileAccess: true,
      disableUrlAccess: true
    })
    return {
      envelope: { from: bounceAddress ?? sender.from_email, to: addressee.email },
      content: await mail.compile().build(),
      format
    }
  }

  #attachmentsOf(html: string): Attachment[] {
    if (this.#images.length === 0) return []
    const shown = new Set(imageKeysIn(html))
    return this.#images
      .filter(({ key }) => shown.has(key))
      .map(({ key, name, media_type, bytes }) => ({
        cid: key,
        filename: name,
        contentType: media_type,
        contentDisposition: 'inline',
        content: Buffer.from(bytes)
      }))
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
    const html = linksImages ? linkImages(framed, linkBase) : framed
    const text = framedText(countClicks(content.text, 'text', content.links), frame)
    const compiled = {
      subject: compile(content.subject, 'text'),
      html: compile(tracksOpens && content.sliceId > 0 ? withOpenPixel(html) : html, 'html'),
      text: compile(text, 'text')
    }
    this.#compiled.set(content.id, compiled)
    return compiled
  }

  #find(contentId: number): PlannedContent {
    const found = this.#plan.contents.find(({ id }) => id === contentId)
    if (!found) throw new Error(`content ${contentId} is not part of campaign ${this.#plan.campaign.id}`)
    return found
  }

  #countedIn({ id, links }: PlannedContent): ReadonlySet<number> {
    const counted = this.#counted.get(id) ?? new Set(links.map((link) => link.id))
    this.#counted.set(id, counted)
    return counted
  }

  #recipientOf(content: PlannedContent, addressee: Addressee): Recipient {
    const { linkBase, signingSecret } = this.#plan
    const named = { subscriberId: addressee.id, sliceId: content.sliceId }
    const { click, openPixel, ...links } = messageLinks(linkBase, signingSecret, named)
    const tracked = (key: string): string | undefined => {
      if (key === openPixelCode) return openPixel
      const id = linkOfCode(key)
      return id !== null && this.#countedIn(content).has(id) ? click(id) : undefined
    }
    return { ...addressee, links: { ...links, tracked } }
  }
}

const openPixelCode = 'open_pixel'

function withOpenPixel(html: string): string {
  return atEndOfBody(html, `<img src="%%${openPixelCode}%%" width="1" height="1" alt="">`)
}

/** A subscriber who chose plain text gets it if there is any. */
function formatFor(content: ContentFormat, wanted: ContentFormat | null): ContentFormat {
  return content === 'both' && wanted !== null ? wanted : content
}
