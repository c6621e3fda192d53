import type { SubscriberStatus } from '../../api/subscribers/schema.ts'
import { headerKey } from '../knowledge/headers.ts'
import { isTellingWord, statusOfWord } from '../knowledge/statuses.ts'
import { cautiousStatus, statusKey, type StatusRule } from '../schema.ts'
import { saysNothing } from '../status-rules.ts'
import { readAnswer } from '../values/truth.ts'
import type { ColumnStatistics } from './column-statistics.ts'

// What the values of a column say of who may be written to.

/** A column with more distinct values, such as reasons, gets a rule for any value. */
const maxRuleWords = 100

/** Headers of a subscription's status; "Status" alone may be that of an order. */
const ofSubscription = /mail|subscri|newsletter|abo|member|list|marketing|contact/

/**
 * Returns the rule of a column whose values are statuses: all of them, or at least those that tell who
 * unsubscribed.
 * @param isStatus true if the header names a status
 * @returns null if they are statuses of something else, such as orders
 */
export function statusRule(
  { distinct, filled }: ColumnStatistics,
  header: string,
  isStatus: boolean
): StatusRule | null {
  if (!distinct || filled === 0) return null
  const known: StatusRule['words'] = {}
  const unknown: string[] = []
  let understood = 0
  for (const [value, count] of distinct) {
    const status = statusOfWord(value)
    if (status) known[statusKey(value)] = status
    else unknown.push(statusKey(value))
    if (status) understood += count
  }
  const isTelling = [...distinct.keys()].some(isTellingWord)
  if (!isTelling && !isStatus) return null
  const isWhole = understood >= filled * 0.5
  if (distinct.size > maxRuleWords) return saysWhoLeft(known) ? wordsOfLeaving : null
  if (isWhole && (isTelling || unknown.length === 0 || ofSubscription.test(headerKey(header)))) {
    for (const word of unknown) known[word] = cautiousStatus
    return { kind: 'status', words: known, blank: null, other: null }
  }
  // If other words occur as well, the known words for removed contacts still count.
  return isTelling ? { ...wordsOfLeaving, words: known } : null
}

/** In this rule each known status word counts, and other words have no effect. */
const wordsOfLeaving: StatusRule = { kind: 'objection', words: {}, blank: null, other: null }

function saysWhoLeft(words: StatusRule['words']): boolean {
  return Object.values(words).some((status) => status !== 'active')
}

/** Adds words to a rule that did not occur last time. */
export function withNewWords(rule: StatusRule, { distinct }: ColumnStatistics): StatusRule {
  if (rule.kind !== 'status' || rule.other !== null) return rule
  const words = { ...rule.words }
  for (const value of distinct?.keys() ?? [])
    words[statusKey(value)] ??= statusOfWord(value) ?? cautiousStatus
  return { ...rule, words }
}

/** A date means that the contact left. */
export function removalRule(status: SubscriberStatus): StatusRule {
  return { kind: 'objection', words: {}, blank: null, other: status }
}

/** Links, shares and scores are no reasons. A column of reasons may contain one. */
const noReason = /^https?:|^www\.|%$|^\d+[.,]\d+$/i

/** True if most values are links, shares or scores instead of reasons. */
function saysNoReasons(values: readonly string[]): boolean {
  const others = values.filter((value) => noReason.test(value)).length
  return others * 2 > values.length && !values.every((value) => readAnswer(value) !== null)
}

/**
 * Returns the rule of a column that excludes contacts by yes, a word, a number or a reason.
 * @returns null for other values: links, shares, or the same for everyone
 */
export function objectionRule(
  { distinct, filled, rows }: ColumnStatistics,
  status: SubscriberStatus
): StatusRule | null {
  const values = [...(distinct?.keys() ?? [])]
  if (saysNoReasons(values)) return null
  const words: StatusRule['words'] = {}
  for (const value of values) {
    const said = statusOfWord(value)
    if (saysNothing(value)) words[statusKey(value)] = 'active'
    else words[statusKey(value)] = said ?? status
  }
  const [only] = values
  const isSameForAll = values.length === 1 && filled === rows && rows > 1
  if (isSameForAll && only !== undefined && readAnswer(only) === null && statusOfWord(only) === null)
    return null
  return { kind: 'objection', words: values.length <= maxRuleWords ? words : {}, blank: null, other: status }
}

/**
 * Returns the rule of a column of consents.
 * @returns null if the values are no answers, such as counts
 */
export function consentRule({ distinct, filled, rows }: ColumnStatistics): StatusRule | null {
  if (!distinct || filled === 0) return null
  const values = [...distinct.keys()]
  const isCount = values.every((value) => /^\d+$/.test(value)) && values.some((value) => Number(value) > 1)
  if (isCount) return answerCodes(values)
  const words: StatusRule['words'] = {}
  for (const value of values) {
    const answer = readAnswer(value)
    const said = statusOfWord(value) ?? (answer === null ? null : answer ? 'active' : 'unsubscribed')
    if (said) words[statusKey(value)] = said
  }
  const said = Object.values(words)
  // The column of a ticked box holds one sentence or nothing.
  const isTicked = values.length === 1 && filled < rows && said.length === 0
  if (said.length === 0 && !isTicked) return null
  const consents = isTicked || said.includes('active') || said.length < values.length
  return {
    kind: 'consent',
    words: values.length <= maxRuleWords ? words : {},
    // If some people consented, those with a blank value did not.
    blank: consents && filled < rows ? 'unsubscribed' : null,
    other: null
  }
}

/**
 * Returns the rule of numeric answers: 0 = no, 1 = yes, 2 = in between.
 * @returns null for counts
 */
function answerCodes(values: readonly string[]): StatusRule | null {
  const isCode =
    values.includes('0') && values.includes('1') && values.every((value) => /^[0-2]$/.test(value))
  const words = Object.fromEntries(values.map((value) => [value, answerCode[value] ?? cautiousStatus]))
  return isCode ? { kind: 'consent', words, blank: null, other: null } : null
}

const answerCode: StatusRule['words'] = { '0': 'unsubscribed', '1': 'active' }

/** Some contacts said no in a column of consent times. */
export const datedConsentRule: StatusRule = { kind: 'consent', words: {}, blank: null, other: null }

/** A blank time of confirmation excludes a contact. */
export const activationRule: StatusRule = {
  kind: 'objection',
  words: { '0': 'deactivated', '0000 00 00': 'deactivated', '0000 00 00 00:00:00': 'deactivated' },
  blank: 'deactivated',
  other: null
}

/** In a column of yes and no, no means a status. */
export function denialRule({ distinct }: ColumnStatistics, status: SubscriberStatus): StatusRule | null {
  const words: StatusRule['words'] = {}
  for (const value of distinct?.keys() ?? []) {
    const answer = readAnswer(value)
    const said = statusOfWord(value)
    if (answer !== null) words[statusKey(value)] = answer ? 'active' : status
    else if (said) words[statusKey(value)] = said
  }
  return Object.values(words).some((said) => said !== 'active')
    ? { kind: 'objection', words, blank: null, other: null }
    : null
}
