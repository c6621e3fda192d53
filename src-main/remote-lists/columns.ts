import { ExplainedError } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { replacementKey } from '../api/autoresponders/rules.ts'
import type { RemoteColumn } from '../remote-databases/remote-database.ts'

/** A query whose result cannot be a list's recipients. */
export class QueryFault extends ExplainedError {}

/** Where the values of recipients stand in the rows of a query. */
export interface RecipientColumns {
  email: number
  /** null = there is none. */
  distinctId: number | null
  /** The columns that codes take values from. */
  values: { name: string; index: number }[]
}

/** Most columns of a query: messages with more codes do not exist, and each recipient has a value for all. */
const mostColumns = 500

/**
 * Finds the columns of recipients (docs/api.md, "Remote Lists"); letter case does not count, and a space is an underscore in codes.
 * @throws QueryFault
 */
export function recipientColumnsOf(columns: readonly RemoteColumn[]): RecipientColumns {
  if (columns.length > mostColumns) {
    throw new QueryFault(refusal('query_columns', { count: columns.length, most: mostColumns }))
  }
  const keys = columns.map(({ name }) => name.trim().toLowerCase())
  const codes = columns.map(({ name }) => replacementKey(name.trim()))
  const twice = columns.find((_, index) => codes.indexOf(codes[index] ?? '') < index)
  if (twice) throw new QueryFault(refusal('query_column_twice', { column: twice.name }))
  const email = keys.indexOf('email')
  if (email < 0) {
    const names = columns.slice(0, 20).map(({ name }) => name)
    throw new QueryFault(refusal('query_without_email', { columns: names }))
  }
  const distinctId = keys.indexOf('distinct_id')
  const values = columns
    .map(({ name }, index) => ({ name: name.trim(), index }))
    .filter(({ index }) => index !== email && index !== distinctId)
  return { email, distinctId: distinctId < 0 ? null : distinctId, values }
}
