import { ExplainedError, messageOf } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { maxBatchBytes } from './limits.ts'

/** A remote database that cannot be used, or refuses a query; the sentence names it, and has its words. */
export class RemoteDatabaseFault extends ExplainedError {}

/** What Node and OpenSSL say of a certificate that is not trusted. */
const certificateCodes =
  /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA|CRL_|ERROR_IN_CERT)/

const longestWords = 500

/** Returns the message of an error, or its code if it has none. */
export function wordsOf(error: unknown): string {
  const first = firstOf(error)
  return (messageOf(first) || codeOf(first)).slice(0, longestWords)
}

/** Node tries each address of a server, and reports what went wrong with all of them. */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError ? (error.errors as unknown[])[0] : error
}

/** Returns the code of an error of Node or a driver; '' without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** A connection that could not be made, or broke. */
export function unreachable(name: string, error: unknown): RemoteDatabaseFault {
  const words = wordsOf(error)
  const code = codeOf(firstOf(error))
  return certificateCodes.test(code)
    ? new RemoteDatabaseFault(refusal('database_certificate', { name, words }), { cause: error })
    : new RemoteDatabaseFault(refusal('database_unreachable', { name, words }), { cause: error })
}

export function signInRefused(name: string, error: unknown): RemoteDatabaseFault {
  return new RemoteDatabaseFault(refusal('database_sign_in_refused', { name, words: wordsOf(error) }))
}

/** @param position of the fault in the query, in characters from 1; undefined if the database does not tell */
export function queryRefused(
  name: string,
  error: unknown,
  at?: { query: string; position: number }
): RemoteDatabaseFault {
  const words = wordsOf(error)
  if (!at || !(at.position >= 1)) {
    return new RemoteDatabaseFault(refusal('query_refused', { name, words }), { cause: error })
  }
  const before = Array.from(at.query)
    .slice(0, at.position - 1)
    .join('')
    .split('\n')
  const place = { line: before.length, column: Array.from(before.at(-1) ?? '').length + 1 }
  return new RemoteDatabaseFault(refusal('query_refused_at', { name, words, ...place }))
}

/** Returns what went wrong with writing rows: one of them is refused, or all are, such as by a table that does not exist. */
export function writingFault(name: string, error: unknown, isOfRow: (cause: unknown) => boolean): unknown {
  if (!(error instanceof RemoteDatabaseFault)) return error
  if (!['query_refused', 'query_writes'].includes(error.refusal.rule)) return error
  const { cause } = error
  const params = { name, words: wordsOf(cause) }
  const reason = isOfRow(cause)
    ? refusal('database_refuses_row', params)
    : refusal('database_refuses_table', params)
  return new RemoteDatabaseFault(reason, { cause })
}

/** Returns the refusal of a server that was reached, such as of a database that it does not have. */
export function connectionRefused(name: string, error: unknown): RemoteDatabaseFault {
  return new RemoteDatabaseFault(refusal('database_refuses_connection', { name, words: wordsOf(error) }))
}

export function queryWrites(name: string, error: unknown): RemoteDatabaseFault {
  return new RemoteDatabaseFault(refusal('query_writes', { name, words: wordsOf(error) }), { cause: error })
}

export function tooSlow(name: string, milliseconds: number): RemoteDatabaseFault {
  return new RemoteDatabaseFault(
    refusal('query_too_slow', { name, seconds: Math.round(milliseconds / 1000) })
  )
}

export function withoutRows(): RemoteDatabaseFault {
  return new RemoteDatabaseFault(refusal('query_without_rows'))
}

export function rowTooLarge(): RemoteDatabaseFault {
  return new RemoteDatabaseFault(refusal('query_row_too_large', { megabytes: maxBatchBytes / 1024 / 1024 }))
}
