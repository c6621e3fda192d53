import type { Faults } from '../../base/errors.ts'
import { type Complaint, complaint, refusalAt } from '../../base/refusal.ts'
import type { ContentFormat } from '../autoresponders/schema.ts'
import type { AutowinnerMetric } from '../mailing-lists/schema.ts'
import { summaryOf } from '../statistics/rules.ts'
import type { Counters } from '../statistics/schema.ts'
import type { CampaignChanges, CampaignState, ContentInput } from './schema.ts'

/** docs/api.md, "Campaigns". */
export const stateDescriptions: Record<CampaignState, string> = {
  idle: 'Step 1: Pending',
  scheduled: 'Step 2: Scheduled',
  sending: 'Step 3: Sending',
  finished: 'Step 4: Finished',
  failed: 'Failed',
  cancelled: 'Cancelled'
}

/** States in which a campaign can still be sent. */
export const unfinishedCampaignStates = ['idle', 'scheduled', 'sending'] as const

/** Returns the contents of a request in either form (docs/api.md, "Campaigns"); undefined = unchanged. */
export function contentsGiven(given: CampaignChanges): ContentInput[] | undefined {
  const nested = given.campaign_contents_attributes ?? given.template_contents_attributes
  return given.contents ?? nested?.map(({ content_attributes: inner, ...outer }) => ({ ...outer, ...inner }))
}

/**
 * Returns the first content of a request with deprecated attributes (docs/api.md, "Campaigns"); undefined =
 * none given.
 */
export function firstContentGiven(given: CampaignChanges): ContentInput | undefined {
  const { content_subject: subject, email_format: format, content_html: html, content_text: text } = given
  const content = {
    ...(subject !== undefined && { subject }),
    ...(format !== undefined && { format }),
    ...(html !== undefined && { html }),
    ...(text !== undefined && { text })
  }
  return Object.keys(content).length > 0 ? content : undefined
}

export interface ContentValues {
  name: string
  subject: string
  format: ContentFormat
  html: string
  text: string
}

/** @param before the stored content; null for a new one, the `number`th (from 1) */
export function mergeContent(
  before: ContentValues | null,
  given: ContentInput,
  number: number
): ContentValues {
  const html = given.html ?? before?.html ?? ''
  const text = given.text ?? before?.text ?? ''
  const bodies = html !== '' && text !== '' ? 'both' : html === '' && text !== '' ? 'text' : 'html'
  return {
    name: given.name?.trim() || before?.name || `Content ${number}`,
    subject: given.subject ?? before?.subject ?? '',
    format: given.format ?? before?.format ?? bodies,
    html,
    text
  }
}

/** The parts that a format requires before a content can be sent. */
export type ContentPart = 'subject' | 'html' | 'text'

export function partsLacking(content: ContentValues): ContentPart[] {
  const isSent = (part: ContentPart): boolean =>
    part === 'subject' || content.format === 'both' || content.format === part
  return (['subject', 'html', 'text'] as const).filter((part) => isSent(part) && content[part].trim() === '')
}

/** Adds a fault for each missing part. */
export function checkContent(content: ContentValues, index: number, faults: Faults): void {
  for (const part of partsLacking(content)) {
    const why =
      part === 'subject' ? complaint('blank') : complaint('blank_in_format', { format: content.format })
    faults.add(refusalAt(`contents.${index}.${part}`, why))
  }
}

/** Returns the value of X-CampaignID without its prefix (docs/api.md, "Campaigns"). */
export function xCampaignId({
  organization_id,
  mailing_list_id,
  id
}: {
  organization_id: number
  mailing_list_id: number
  id: number
}): string {
  return `${organization_id}-${mailing_list_id}-${id}`
}

const ownHeaders = new Set(
  (
    'from to cc bcc subject date message-id mime-version sender reply-to return-path received dkim-signature ' +
    'x-campaignid list-unsubscribe list-unsubscribe-post'
  ).split(' ')
)

interface HeaderLine {
  /** Counted from 1. */
  line: number
  name: string | undefined
  value: string
}

/** Splits headers into lines with their folded parts, which begin with white space (RFC 5322, 2.2.3). */
function headerLines(text: string): HeaderLine[] {
  const headers: (Omit<HeaderLine, 'value'> & { parts: string[] })[] = []
  for (const [index, written] of text.split(/\r\n?|\n/).entries()) {
    const last = headers.at(-1)
    if (written.trim() === '') continue
    if (/^[ \t]/.test(written) && last) {
      last.parts.push(written.trim())
      continue
    }
    const colon = written.indexOf(':')
    const name = written.slice(0, Math.max(colon, 0)).trim()
    const isName = /^[!-9;-~]+$/.test(name)
    headers.push({
      line: index + 1,
      name: isName ? name : undefined,
      parts: [isName ? written.slice(colon + 1).trim() : written]
    })
  }
  return headers.map(({ parts, ...header }) => ({ ...header, value: parts.join(' ').trim() }))
}

function isOwnHeader(name: string): boolean {
  return ownHeaders.has(name.toLowerCase()) || /^content-/i.test(name)
}

export function customHeaderComplaints(text: string): Complaint[] {
  return headerLines(text).flatMap(({ line, name }) => {
    if (name === undefined) return [complaint('header_line', { line })]
    return isOwnHeader(name) ? [complaint('own_header', { line, name })] : []
  })
}

/** Returns the custom headers of a list, without those that may occur only once and exist already. */
export function customHeaders(text: string): { name: string; value: string }[] {
  return headerLines(text).flatMap(({ name, value }) =>
    name === undefined || isOwnHeader(name) ? [] : [{ name, value }]
  )
}

const unitMs: Record<string, number> = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 }

/** Returns how long a split test waits before its winner is chosen, in milliseconds. */
export function delayMs({
  autowinner_delay_amount: amount,
  autowinner_delay_unit: unit
}: {
  autowinner_delay_amount: number | null
  autowinner_delay_unit: string | null
}): number {
  return (amount ?? 0) * (unitMs[unit ?? 'minutes'] ?? 0)
}

/** Returns the id of the content with the best figure; of equal ones the lowest. */
export function winnerOf(
  contents: { contentId: number; counters: Counters }[],
  metric: AutowinnerMetric
): number | null {
  const byId = contents
    .map(({ contentId, counters }) => ({ contentId, figure: summaryOf(counters, null)[metric] }))
    .sort((a, b) => a.contentId - b.contentId)
  return (
    byId.reduce((best, each) => (best && best.figure >= each.figure ? best : each), byId[0])?.contentId ??
    null
  )
}
