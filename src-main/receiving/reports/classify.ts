import {
  type BounceClass,
  type BounceReason,
  certainlyUnknown,
  classOfReason,
  reasonPatterns,
  reasonsOfStatus
} from './reasons.ts'

export interface BounceVerdict {
  class: BounceClass
  reason: BounceReason
  /** The enhanced status code (RFC 3463), such as "5.1.1"; '' = none is known. */
  status: string
}

interface BounceFacts {
  /** The Status field of the report; '' without one. */
  status: string
  /** The diagnostic, or what the report says to people. */
  words: string
  /** The type of the diagnostic, such as "smtp" or "x-unix"; '' = unknown. */
  type: string
  /** What the report says to people, if `words` is a diagnostic. */
  text: string
  subject: string
}

/** Decides why a message was not delivered: by the words of the server first, since status codes are often only "error", then by the code. */
export function classifyBounce(facts: BounceFacts): BounceVerdict {
  const status = statusOf(facts)
  const named = status === '' ? undefined : reasonsOfStatus[status.slice(2)]
  const isUnknown = certainlyUnknown.some((pattern) => pattern.test(normalized(facts.words)))
  if (isUnknown) return { class: 'hard', reason: 'user_unknown', status }
  const reason =
    reasonIn(normalized(facts.words)) ??
    (exactStatus.test(status) ? named : undefined) ??
    reasonIn(normalized(facts.text)) ??
    reasonIn(normalized(facts.subject)) ??
    named ??
    'undefined'
  const verdict = reason === 'user_unknown' && !isSure(status, facts) ? 'filtered' : reason
  const isPassing = isTemporary(status, facts)
  return { class: isPassing ? 'soft' : classOfReason(verdict), reason: verdict, status }
}

/** The codes that say more than the words with them usually do. */
const exactStatus = /^[45]\.(?:1\.[12368]|2\.[123]|4\.[47]|7\.(?:1[38]|2[0-8]))$/

/**
 * True if the address itself was refused. Filters, too, answer that a user is unknown, after they have seen the message; an address is given up only
 * where its refusal is certain.
 */
function isSure(status: string, { words, type, text }: BounceFacts): boolean {
  if (/^[45]\.1\.\d/.test(status)) return true
  const said = normalized(`${words} ${text}`)
  if (/\brcpt\b/.test(said)) return true
  if (/(?:end of data|in reply to (?:end of )?data|>>> data|smtp command data|command:? data)\b/.test(said))
    return false
  const hasReply = /\b5[05]\d\b/.test(words)
  if (type !== '') return !hasReply || words.includes('@')
  if (status !== '' && words !== '') return hasReply && words.includes('@')
  return !/\b5[05]\d\b/.test(said) && !/\buser unknown\b/.test(said)
}

/** True for a failure that the server itself calls temporary: it never ends a subscription at once. */
function isTemporary(status: string, { words }: BounceFacts): boolean {
  if (status !== '') return status.startsWith('4.')
  const reply = /(?:^|[\s:>])([45]\d\d)[\s-]/.exec(words)?.[1]
  return reply?.startsWith('4') ?? false
}

function reasonIn(said: string): BounceReason | undefined {
  if (said === '') return undefined
  return reasonPatterns.find(({ patterns }) => patterns.some((pattern) => pattern.test(said)))?.reason
}

function normalized(words: string): string {
  return words.toLowerCase().replaceAll(/[‘’`]/g, "'").replaceAll(/\s+/g, ' ').trim()
}

/** Returns the most exact enhanced status code of a report. */
function statusOf({ status: given, words, text }: BounceFacts): string {
  const field = /\b([245]\.\d{1,3}\.\d{1,3})\b/.exec(given)?.[1] ?? ''
  const isVague = field === '' || field.endsWith('.0.0')
  if (!isVague) return field
  const inWords = /(?:^|[\s#(:-])([45]\.\d{1,2}\.\d{1,3})(?=[\s):;,.-]|$)/.exec(`${words}\n${text}`)?.[1]
  return inWords ?? field
}
