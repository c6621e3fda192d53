import { classifyBounce, type BounceVerdict } from './classify.ts'
import { type Fields, readReportMessage, type ReportMessage } from './report-message.ts'

/** What a report says of one recipient. */
export interface BouncedRecipient extends BounceVerdict {
  /** In lower case. */
  address: string
  /** The words of the server. */
  words: string
  /** True while the server is still trying: the message may arrive. */
  isDelayed: boolean
  /** True if the address stands in a field for programs; people write other addresses into texts as well. */
  isFromField: boolean
}

/** A message that tells what became of another one. */
export type Report =
  | { kind: 'bounce'; recipients: BouncedRecipient[]; returned: Fields | null }
  | { kind: 'complaint'; recipients: string[]; returned: Fields | null }

/** Recipients of one report that are read. */
const mostRecipients = 50

/**
 * Reads a message that may be a delivery report (RFC 3464, or in the form of some mail system) or a complaint (RFC 5965).
 * @param raw RFC 5322
 * @returns null for other messages, such as automatic replies
 */
export async function readReport(raw: Buffer): Promise<Report | null> {
  return reportIn(await readReportMessage(raw))
}

/** Like {@link readReport}, of a message that was read already. */
export function reportIn(message: ReportMessage): Report | null {
  return complaintIn(message) ?? bounceIn(message)
}

const addressPattern =
  /[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,128}@[A-Za-z0-9](?:[A-Za-z0-9-]*\.)+[A-Za-z0-9-]{2,}/g

function addressesIn(text: string): string[] {
  const found = (text.match(addressPattern) ?? []).map((each) => each.toLowerCase().replace(/^['`=]+/, ''))
  return [...new Set(found)].slice(0, mostRecipients)
}

function complaintIn({ feedback, returned, text, subject }: ReportMessage): Report | null {
  if (feedback) {
    const type = feedback.get('feedback-type')?.toLowerCase() ?? ''
    // An unsubscribe by feedback, a report of a failed authentication and "not spam" are no complaints.
    if (['auth-failure', 'not-spam', 'opt-out', 'dmarc'].includes(type)) return null
    const named = ['original-rcpt-to', 'removal-recipient'].flatMap((name) =>
      addressesIn(feedback.get(name) ?? '')
    )
    return { kind: 'complaint', recipients: namedOr(named, returned), returned }
  }
  const isComplaint =
    /^complaint about message from|abuse report for|email feedback report/i.test(subject.trim()) ||
    /this is an email abuse report/i.test(text)
  if (!isComplaint || !returned) return null
  return { kind: 'complaint', recipients: namedOr([], returned), returned }
}

/** Providers leave out whose complaint it is; the message that is returned tells, by its token. */
function namedOr(named: readonly string[], returned: Fields | null): string[] {
  const found = named.length > 0 ? [...named] : addressesIn(returned?.get('to') ?? '')
  return found.length > 0 ? found.slice(0, mostRecipients) : ['']
}

function bounceIn(message: ReportMessage): Report | null {
  const { returned } = message
  const recipients = recipientsOfStatus(message)
  if (recipients.length > 0) return { kind: 'bounce', recipients, returned }
  if (message.status.some((fields) => hasAction(fields, 'delivered'))) return null
  if (!isBounceByText(message)) return null
  return { kind: 'bounce', recipients: recipientsOfText(message), returned }
}

function hasAction(fields: Fields, ...actions: string[]): boolean {
  const action =
    fields
      .get('action')
      ?.toLowerCase()
      .split(/[\s;(]/)[0] ?? ''
  return actions.includes(action)
}

function recipientsOfStatus(message: ReportMessage): BouncedRecipient[] {
  const found = new Map<string, BouncedRecipient>()
  for (const fields of message.status) {
    const named = ['final-recipient', 'x-actual-recipient', 'original-recipient'].map((name) =>
      fields.get(name)
    )
    if (named.every((each) => each === undefined)) continue
    if (hasAction(fields, 'delivered', 'relayed', 'expanded', 'deliverable')) continue
    const [final, , original] = named.map((each) => addressesIn(each ?? '')[0])
    const address = final ?? original ?? addressesIn(message.returned?.get('to') ?? '')[0]
    if (address === undefined || found.has(address)) continue
    if (found.size === mostRecipients) break
    const diagnostic = fields.get('diagnostic-code') ?? ''
    const words = diagnostic.replace(/^[\w-]+[ \t]*;[ \t]*/, '')
    const verdict = classifyBounce({
      status: fields.get('status') ?? '',
      words,
      type: /^([\w-]+)[ \t]*;/.exec(diagnostic)?.[1]?.toLowerCase() ?? '',
      text: message.text,
      subject: message.subject
    })
    const isDelayed = hasAction(fields, 'delayed')
    found.set(address, {
      address,
      isFromField: true,
      words: shortened(words || sectionOf(message.text, address, [])),
      isDelayed,
      ...verdict
    })
  }
  return [...found.values()]
}

/** The senders and subjects of reports that have no part for programs. */
const reporters =
  /mailer-?daemon|postmaster|post_master|mail[ .-]?(?:delivery|deliver|administrator|system|router|robot)|mdaemon|delivery subsystem|^<?no-?reply@|^$|mailer@|system administrator|exim|smtp/i
const reportSubjects =
  /undeliver|delivery (?:status|failure|failed|notification|report|problem|error|delay|has failed)|deliver(?:y|ed)? fail|failure (?:notice|delivery)|mail (?:delivery|system error|could not be delivered|failure|delivery failed)|returned (?:mail|message|email|to sender)|returning message|could not be delivered|not (?:be )?delivered|non[- ]?deliver|message (?:you sent )?blocked|rejected|warning: (?:message|could not)|error sending|there was an error|(?:user|host|address) unknown|dsn:|bounce|unzustellbar|nicht zugestellt|fehlgeschlagen|échec|non remis|niet bezorgd|impossibile|no se (?:ha )?pud|devuelto|falha|devolvid|you .* are not member|配信|送信できま|エラー/i
/** What automatic replies of people say of themselves; a failure may call itself a reply as well. */
const isReplyByItself = /auto-replied|auto-notified/i

function isBounceByText({ headers, from, subject, text, returned }: ReportMessage): boolean {
  const sender = `${from} ${headers.get('from') ?? ''}`
  const isReporter =
    reporters.test(from) || reporters.test(sender) || headers.get('return-path')?.trim() === '<>'
  const isAboutDelivery = reportSubjects.test(subject) || headers.has('x-failed-recipients')
  if (headers.has('x-failed-recipients')) return true
  const isVacation =
    /(?:out of (?:the )?office|vacation|auto(?:matic|mated)?[ -]?(?:reply|response)|abwesen|absence|automatische antwort|réponse automatique|risposta automatica|respuesta automática|automatisch antwoord)/i.test(
      subject
    ) || isReplyByItself.test(headers.get('auto-submitted') ?? '')
  if (isVacation && !/mailer-daemon|mail delivery/i.test(sender)) return false
  const saysSo =
    /could ?n(?:ot|'t) (?:be )?deliver|not (?:be )?(?:delivered|deliverable)|(?:following|these) (?:address|recipient)|undeliverable|delivery (?:errors|problems|failed|to the following)|unable to deliver|failed to send|wasn'?t able to deliver|did not reach|transcript of session|failure reasons|permanent (?:fatal )?error|returned to you|unknown user|invalid user address|error message below|unknown address|deliver (?:your|the) message|not (?:a )?member|were affected|failure notice|response from the recipient|rejected/i.test(
      text
    )
  return (isReporter && (isAboutDelivery || saysSo)) || (isAboutDelivery && (saysSo || returned !== null))
}

/** What mail systems say while they go on trying. */
const delays =
  /will (?:keep|continue) (?:on )?trying|will be retried|delivery attempts will (?:be made|continue)|still being (?:tried|retried)|this is a warning message only|you do not need to resend|^warning: |message (?:\S+ )?(?:has been )?delayed|has not (?:yet )?been delivered|wird weiter versucht/im

/** Where texts name recipients, the surest first. */
const recipientLines: readonly RegExp[] = [
  /mailing list[ \t]*:?[ \t]*<([^\s<>"]+@[^\s<>"]+)>/gim,
  /^[ \t]*<?([^\s<>;"]+@[^\s<>;:"]+)>?[ \t]+on [a-z]{3}, /gim,
  /^[ \t]*<?([^\s<>;"]+@[^\s<>;:"]+)>?:?[ \t]*$/gim,
  /^[ \t]*(?:\*|-|>>>)?[ \t]*<([^\s<>"]+@[^\s<>"]+)>/gim,
  /rcpt to:?[ \t]*<?([^\s<>"]+@[^\s<>;"]+?)>?(?=[\s;,.]|$)/gim,
  /\b(?:recipient(?:\(s\))?(?: address)?|addressed to|delivered to|delivery to|following address(?:\(es\))?|to|unknown user|user|address|message to)[ \t]*:?[ \t]*<?([^\s<>"']+@[^\s<>;:"',]+)/gim,
  /^[ \t]*(?:\*|-|>>>)?[ \t]*<?([^\s<>"]+@[^\s<>;:,"]+)/gim
]

function recipientsOfText(message: ReportMessage): BouncedRecipient[] {
  const { headers, text, returned, from, to } = message
  const failed = addressesIn(headers.get('x-failed-recipients') ?? '')
  const writtenTo = addressesIn(`${returned?.get('to') ?? ''} ${returned?.get('x-envelope-to') ?? ''}`)
  const senders = new Set([
    ...to,
    from,
    ...addressesIn(
      `${returned?.get('from') ?? ''} ${returned?.get('return-path') ?? ''} ${headers.get('x-original-to') ?? ''}`
    )
  ])
  const inText = [...new Set(recipientLines.flatMap((pattern) => capturesOf(pattern, text)))].filter(
    (address) => !senders.has(address) && !/^(?:mailer-daemon|postmaster)@/.test(address)
  )
  const both = inText.filter((address) => writtenTo.includes(address))
  const best = surestIn(text, senders)
  const chosen = [
    failed.filter((each) => writtenTo.length === 0 || inText.includes(each)),
    both.every((each) => best.includes(each)) ? best : both,
    capturesOf(/^[ \t]*<?([^\s<>;"]+@[^\s<>;:"]+)>?:?[ \t]*$/gim, text),
    inText.slice(0, 1),
    failed,
    writtenTo.slice(0, 1)
  ].find(({ length }) => length > 0)
  // A report that names nobody may still be about a message that is known.
  const addresses = (chosen ?? ['']).slice(0, mostRecipients)
  const isDelayed = delays.test(`${message.subject}\n${text}`)
  return addresses.map((address) => {
    const section = sectionOf(text, address, addresses)
    const all = addresses.length > 1 ? '' : text
    const verdict = classifyBounce({
      status: '',
      words: section,
      type: '',
      text: all,
      subject: message.subject
    })
    const isFromField = failed.includes(address)
    return { address, words: shortened(section), isDelayed, isFromField, ...verdict }
  })
}

/** Returns the addresses of the surest lines that have some. */
function surestIn(text: string, senders: ReadonlySet<string>): string[] {
  for (const pattern of recipientLines.slice(0, -1)) {
    const found = capturesOf(pattern, text).filter((address) => !senders.has(address))
    if (found.length > 0) return [...new Set(found)]
  }
  return []
}

function capturesOf(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].flatMap(([, found = '']) => addressesIn(found))
}

/** Returns what a text says of an address: from its line on, until the next of the addresses; all if it is not named. */
function sectionOf(text: string, address: string, others: readonly string[]): string {
  const lower = text.toLowerCase()
  const at = lower.indexOf(address)
  if (at < 0) return text
  const start = lower.lastIndexOf('\n', at) + 1
  const ends = others
    .filter((other) => other !== address)
    .map((other) => lower.indexOf(other, at + address.length))
    .filter((end) => end > 0)
  return text.slice(start, ends.length > 0 ? Math.min(...ends) : undefined)
}

/** The longest words of a server that are kept, in characters. */
const longestWords = 500

function shortened(words: string): string {
  const line = words.replaceAll(/\s+/g, ' ').trim()
  return line.length > longestWords ? `${line.slice(0, longestWords - 1)}…` : line
}
