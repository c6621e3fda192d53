import { createHash } from 'node:crypto'
import { messageHeader } from '../api/subscribers/bounce-tokens.ts'
import { reportIn, type Report } from './reports/read-report.ts'
import { type Fields, readReportMessage } from './reports/report-message.ts'

/** A received message as far as it matters, before it is compared with what was sent. */
export interface ReceivedReading {
  /** SHA-256 of the message, in hex. */
  digest: string
  subject: string
  /** null = it is neither a bounce nor a complaint. */
  report:
    | Pick<Report & { kind: 'bounce' }, 'kind' | 'recipients'>
    | Pick<Report & { kind: 'complaint' }, 'kind' | 'recipients'>
    | null
  /** What may be tokens of messages, the surest first (api/subscribers/bounce-tokens.ts). */
  bounceTokens: string[]
  /** The Message-ID of the message that is returned, without angle brackets; null = none is. */
  returnedId: string | null
  /** What may be tokens to unsubscribe (api/subscribers/tokens.ts). */
  unsubscribeTokens: string[]
}

/** Reads a message as it came (RFC 5322). Nothing in it is trusted: tokens are checked by the command that stores it. */
export async function readReceived(raw: Buffer): Promise<ReceivedReading> {
  const message = await readReportMessage(raw)
  const report = reportIn(message)
  const { headers, returned, subject } = message
  const returnedHeaders: Fields = report?.returned ?? returned ?? new Map<string, string>()
  const own = returnedHeaders.get(messageHeader.toLowerCase())
  const addressed = [
    'to',
    'delivered-to',
    'x-original-to',
    'envelope-to',
    'x-envelope-to',
    'x-failed-recipients'
  ]
    .map((name) => headers.get(name) ?? '')
    .concat(['return-path', 'from'].map((name) => returnedHeaders.get(name) ?? ''))
  return {
    digest: createHash('sha256').update(raw).digest('hex'),
    subject: subject.slice(0, longestSubject),
    report: report && ({ kind: report.kind, recipients: report.recipients } as ReceivedReading['report']),
    bounceTokens: [...(own === undefined ? [] : [own]), ...addressed.flatMap(plusPartsIn)],
    returnedId: /<([^<>\s]{1,200})>/.exec(returnedHeaders.get('message-id') ?? '')?.[1] ?? null,
    unsubscribeTokens: report === null ? unsubscribesIn(subject, addressed) : []
  }
}

/** In characters. */
const longestSubject = 255

/** Returns what stands behind the plus of addresses. */
function plusPartsIn(header: string): string[] {
  return [...header.matchAll(/\+([0-9a-z-]{1,64})@/gi)].map(([, part = '']) => part)
}

function unsubscribesIn(subject: string, addressed: readonly string[]): string[] {
  const inSubject = /unsubscribe\s+(\S{1,100})/i.exec(subject)?.[1]
  return [...(inSubject === undefined ? [] : [inSubject]), ...addressed.flatMap(plusPartsIn)]
}
