import type { Kysely } from 'kysely'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Schema } from '../../database/schema.ts'
import { type AuditRow, auditRows, type AuditScope, newestEntry, oldestEntry } from './queries.ts'

/** Entries of the change log scanned between two other questions; some 2 ms. */
const lookedAtOnce = 2000

/** Some entries, and the oldest one that was looked at: 0 = there is no more. */
export interface AuditPart {
  rows: AuditRow[]
  lookedTo: number
}

/**
 * The entries of a scope before an id, the newest first, part by part: a part may hold none of them.
 * @param before null = from the newest on
 * @throws the reason of the signal, once it is aborted
 */
export async function* scanAuditLog(
  db: Kysely<Schema>,
  scope: AuditScope,
  before: number | null,
  signal: AbortSignal
): AsyncGenerator<AuditPart> {
  const oldest = await oldestEntry(db)
  let to = before === null ? await newestEntry(db) : before - 1
  while (to >= oldest && to > 0) {
    const from = Math.max(oldest, to - lookedAtOnce + 1)
    const rows = await auditRows(db, scope, from, to)
    yield { rows, lookedTo: from <= oldest ? 0 : from }
    to = from - 1
    await nextTurn()
    signal.throwIfAborted()
  }
}
