import { type Param, type Refusal, refusal, type Rule } from '../base/refusal.ts'
import { english } from '../base/refusals/english.ts'

// The log of failed rows is a file of the API: it holds English sentences. The window shows them in its language, so they are read back here,
// next to the code that writes them.

/** The rules by which a row can fail; of those with a common beginning, the longer one comes first. */
const rowRules = [
  'row_too_wide',
  'row_enclosed',
  'text_after_enclosure',
  'email_contains_character',
  'email_contains',
  'email_address',
  'blank_primary_key',
  'not_one_of',
  'not_whole_number',
  'not_boolean',
  'not_format',
  'not_date',
  'not_day_of_year',
  'not_in_years',
  'not_ip_address',
  'loses_zero',
  'loses_plus',
  'whole_number',
  'from_to',
  'minimum_length',
  'maximum_length',
  'minimum',
  'maximum',
  'single_line',
  'blank'
] as const satisfies readonly Rule[]

const cellParams = ['value', 'email', 'address']

const patterns = rowRules.map((rule) => ({ rule, pattern: patternOf(english[rule]) }))

function patternOf(sentence: string): RegExp {
  const source = sentence
    .split(/\{(\w+)\}/)
    .map((part, index) => {
      if (index % 2 === 0) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      return part === 'field' ? '(?<field>[^]+?)' : `(?<${part}>[^]*)`
    })
    .join('')
  return new RegExp(`^${source}$`)
}

/** Reads the sentence of a failed row back; one of an earlier version that has no such form stays as it is. */
export function readRowFault(sentence: string): Refusal {
  const blank = sentence.split(' cannot be blank, ')
  if (blank.length > 1 && sentence.endsWith(' cannot be blank')) {
    const fields = blank.map((part) => part.replace(/ cannot be blank$/, ''))
    return refusal('several', { faults: fields.map((field) => refusal('blank', { field })) })
  }
  for (const { rule, pattern } of patterns) {
    const match = pattern.exec(sentence)
    if (!match) continue
    const { field, ...params } = match.groups ?? {}
    return { ...(field !== undefined && { field }), rule, params }
  }
  return refusal('said', { text: sentence })
}

/** Returns a fault without the cell that it is about, for all rows that failed for the same reason. */
export function withoutCell({ rule, params, ...rest }: Refusal): Refusal {
  if (rule === 'email_address') return { ...rest, rule: 'not_email_address', params: {} }
  const entries = Object.entries(params).map(([name, value]): [string, Param] => [
    name,
    cellParams.includes(name) ? '…' : value
  ])
  return { ...rest, rule, params: Object.fromEntries(entries) }
}
