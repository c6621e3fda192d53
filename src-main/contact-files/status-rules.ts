import { type SubscriberStatus, subscriberStatuses } from '../api/subscribers/schema.ts'
import { statusOfWord } from './knowledge/statuses.ts'
import { type StatusRule, statusKey } from './schema.ts'
import { isNoDate } from './values/dates.ts'
import { isBlankWord } from './values/tidy.ts'
import { readAnswer } from './values/truth.ts'

/** Our own words, for a status column of which nothing else is known. */
export const ownStatuses: StatusRule = {
  kind: 'status',
  words: Object.fromEntries(subscriberStatuses.map((status) => [status, status])),
  blank: null,
  other: null
}

/** If columns differ, the later one wins: an objection in any column counts. */
const gravity: readonly SubscriberStatus[] = ['active', 'deactivated', 'unsubscribed', 'bounced', 'scomp']

/** Days that programs write for never: the epochs of their calendars. */
const epoch =
  /^(?:1970-01-01|0001-01-01|1900-01-01|1899-12-30|0?1[./]0?1[./](?:1970|0001|1900)|30\.12\.1899|12\/30\/1899|12\/31\/1969|31\.12\.1969)\b/
const emptyValue =
  /^(?:ok|okay|clean|passed|aktiv|active|\[\]|\{\}|""|''|\(no value\)|\(kein wert\)|0(?:[.,]0+)?\s?%?)$/i

/** Words for a "no" to mail, as opposed to not having left. */
const leavingWords =
  /^(?:no longer|no more|no interest|not? (?:relevant|interest)|nicht mehr|nicht relevant|kein(?:e|en)? (?:interesse|werbung|(?:e-?)?mails?|newsletter))/i

/** True if a value of an objection column says that there is no objection. */
export function saysNothing(value: string): boolean {
  const text = value.trim()
  return (
    emptyValue.test(text) ||
    isBlankWord(text) ||
    isNoDate(text) ||
    epoch.test(text) ||
    (readAnswer(text) === false && !leavingWords.test(text))
  )
}

/**
 * Returns the status that a cell stands for; null = no effect, undefined = an unknown status, which fails.
 */
export function statusSaid(
  { kind, words, blank, other }: StatusRule,
  cell: string
): SubscriberStatus | null | undefined {
  if (cell === '') return blank
  const key = statusKey(cell)
  if (Object.hasOwn(words, key)) return words[key]
  switch (kind) {
    case 'status':
      return other ?? statusOfWord(cell) ?? undefined
    case 'objection':
      return saysNothing(cell) ? null : (other ?? statusOfWord(cell))
    case 'consent': {
      const answer = readAnswer(cell)
      if (answer !== null) return answer ? 'active' : 'unsubscribed'
      return other ?? statusOfWord(cell)
    }
  }
}

/** Combines the statuses of several columns; null = no effect. */
export function combinedStatus(
  said: readonly { kind: StatusRule['kind']; status: SubscriberStatus }[]
): SubscriberStatus | null {
  const consents = said.filter(({ kind }) => kind === 'consent').map(({ status }) => status)
  const others = said.filter(({ kind }) => kind !== 'consent').map(({ status }) => status)
  // One consent is enough if there are several, and one objection of any kind counts.
  const consent = consents.includes('active') ? ['active' as const] : consents
  return gravest([...others, ...consent])
}

function gravest(statuses: readonly SubscriberStatus[]): SubscriberStatus | null {
  const worst = Math.max(-1, ...statuses.map((status) => gravity.indexOf(status)))
  return gravity[worst] ?? null
}
