import { type Refusal, refusal } from '../base/refusal.ts'
import { isEmail } from '../api/subscribers/rules.ts'
import type { RemoteRow } from '../remote-databases/remote-database.ts'
import type { RecipientColumns } from './columns.ts'

export interface QueriedRecipient {
  email: string
  distinctId: number | null
  /** In the order of the columns that codes take values from. */
  values: (string | null)[]
}

/** The largest distinct_id (docs/api.md, "Remote Lists"). */
const mostDistinctId = 2_147_483_647
/** Longest value, in characters. */
const longestValue = 1_000_000

/** Returns the recipient of a row, or why it is skipped. @param number of the row, from 1 */
export function readRecipient(
  row: RemoteRow,
  columns: RecipientColumns,
  number: number
): QueriedRecipient | Refusal {
  const email = (row[columns.email] ?? '').trim()
  if (!isEmail(email)) {
    return email === ''
      ? refusal('row_without_email', { row: number })
      : refusal('row_email', { row: number, email: shortened(email) })
  }
  const id = columns.distinctId === null ? null : (row[columns.distinctId] ?? null)
  const distinctId = id === null ? null : distinctIdOf(id)
  if (distinctId === undefined) return refusal('row_distinct_id', { row: number, id: shortened(id ?? '') })
  const values: (string | null)[] = []
  for (const { name, index } of columns.values) {
    const value = row[index] ?? null
    // Decoders put U+FFFD where bytes are no valid UTF-8.
    if (value?.includes('\uFFFD')) return refusal('row_not_utf8', { row: number, column: name })
    if (value?.includes('\0')) return refusal('row_nul', { row: number, column: name })
    if (value && value.length > longestValue) {
      return refusal('row_value_too_long', { row: number, column: name, most: longestValue })
    }
    values.push(value)
  }
  return { email, distinctId, values }
}

/** True for what {@link readRecipient} returns for a row that is skipped. */
export function isSkipped(read: QueriedRecipient | Refusal): read is Refusal {
  return 'rule' in read
}

/** @returns undefined for what is no distinct_id */
function distinctIdOf(text: string): number | undefined {
  // MySQL and SQLite may write a number with decimals.
  const digits = text.trim().replace(/\.0+$/, '')
  const number = /^\d{1,10}$/.test(digits) ? Number(digits) : 0
  return number >= 1 && number <= mostDistinctId ? number : undefined
}

function shortened(text: string): string {
  const shown = text.replaceAll(/[\0-\x1f\x7f]/g, '\uFFFD')
  return shown.length > 60 ? `${shown.slice(0, 60)}…` : shown
}
