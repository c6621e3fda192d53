import type { Kysely } from 'kysely'
import { Readable } from 'node:stream'
import type { Schema } from '../../database/schema.ts'
import type { Caller } from '../../http/caller.ts'
import { ok } from '../../http/envelope.ts'
import { hasAccess } from '../../http/access.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { isUndoableChange } from '../../api/record-kinds.ts'
import { signalOf } from '../../http/caller-signal.ts'
import { accessToUndo } from '../undo/access.ts'
import { auditCsv } from './csv.ts'
import { auditEndpoints, type AuditEvent } from './endpoints.ts'
import { type AuditGroup, AuditGroups } from './groups.ts'
import { presentEvents } from './present.ts'
import type { AuditScope } from './queries.ts'
import { scanAuditLog } from './scan.ts'
import { scopeOf } from './scope.ts'

const perPage = 50
/** Entries that one call looks at before it answers with what it has. */
const maxLookedAt = 100_000

/** @returns the newest events before an id, and where the next page goes on; null = there is none */
async function pageOf(
  db: Kysely<Schema>,
  scope: AuditScope,
  before: number | null,
  signal: AbortSignal
): Promise<{ groups: AuditGroup[]; next: number | null }> {
  const groups = new AuditGroups(scope.recordId !== null)
  let first: number | null = null
  for await (const { rows, lookedTo } of scanAuditLog(db, scope, before, signal)) {
    for (const row of rows) {
      if (!groups.add(row, perPage)) return { groups: groups.all, next: row.id + 1 }
    }
    first ??= lookedTo
    if (lookedTo > 0 && first - lookedTo >= maxLookedAt) return { groups: groups.all, next: lookedTo }
  }
  return { groups: groups.all, next: null }
}

/** /app/v1/audit_log: who changed what in the caller's organization, and when. */
export const auditRoutes = serveEndpoints(auditEndpoints, ({ reader }) => ({
  'GET /audit_log': async ({ caller, query: { before = null, ...filter } }, reply) => {
    const scope = scopeOf(caller, filter)
    const { groups, next } = await pageOf(reader, scope, before, signalOf(reply))
    const events = await presentEvents(reader, groups, caller.timeZone)
    return ok({ events: events.map((event) => asOfferedTo(caller, event)), next })
  },

  'GET /audit_log/csv': async ({ caller, query }, reply) => {
    const scope = scopeOf(caller, query)
    const lines = auditCsv(reader, scope, caller.timeZone, signalOf(reply))
    return reply
      .type('text/csv; charset=utf-8')
      .header('Content-Disposition', 'attachment; filename="audit-log.csv"')
      .send(Readable.from(lines))
  }
}))

/** Removes the undo that the caller may not use. */
function asOfferedTo(caller: Caller, event: AuditEvent): AuditEvent {
  if (event.undo === null || !isUndoableChange(event.entity)) return event
  const action = event.undo === 'deletion' ? 'delete' : 'update'
  return hasAccess(caller, accessToUndo(event.entity, action)) ? event : { ...event, undo: null }
}
