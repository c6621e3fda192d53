import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ok } from '../../http/envelope.ts'
import { requireAccess } from '../../http/permissions.ts'
import { importRow } from '../../api/subscriber-imports/queries.ts'
import { fieldsCreatedBy, hasImportChanges, importUndo, keptSubscribers } from '../../imports/undo-queries.ts'
import { csvWriter } from '../../csv/csv-writer.ts'
import { type ImportUndo, importUndoEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

const shownRows = 50

/** Rows read at once for the CSV. */
const rowsPerRead = 500

const reasons = {
  changed: 'changed since the import',
  primary_key: 'the primary key of the list has changed since'
} as const

/** /app/v1/subscriber_imports/:id/undo: undoes an import, except for subscribers that were changed since. */
export const importUndoRoutes = serveEndpoints(importUndoEndpoints, ({ reader, writer }) => {
  return {
    'GET /subscriber_imports/:id/undo': async ({ caller, params }) =>
      ok(await answer(caller.organizationId, params.id)),

    'POST /subscriber_imports/:id/undo': async ({ caller, params }) => {
      requireAccess(caller, 'subscriber.delete')
      requireAccess(caller, 'subscriber.update')
      const { organizationId } = caller
      await writer.run('importUndos.begin', { organizationId, id: params.id })
      return ok(await answer(organizationId, params.id))
    },

    'GET /subscriber_imports/:id/undo/kept': async ({ caller, params }, reply) => {
      await importRow(reader, caller.organizationId, params.id)
      return reply
        .type('text/csv; charset=utf-8')
        .header('Content-Disposition', `attachment; filename="import-${params.id}-not-undone.csv"`)
        .send(Readable.from(keptCsv(params.id)))
    }
  }

  async function answer(organizationId: number, id: number): Promise<ImportUndo> {
    const row = await importRow(reader, organizationId, id)
    const undo = await importUndo(reader, id)
    const created_fields = await fieldsCreatedBy(reader, id)
    if (!undo) {
      const possible = row.finished_at !== null && (await hasImportChanges(reader, id))
      const state = possible ? 'none' : 'impossible'
      return {
        state,
        total: 0,
        done: 0,
        removed: 0,
        restored: 0,
        kept: 0,
        created_fields,
        kept_subscribers: []
      }
    }
    const kept = await keptSubscribers(reader, id, 0, shownRows)
    const { total, done, removed, restored } = undo
    return {
      state: undo.finished_at === null ? 'running' : 'finished',
      total,
      done,
      removed,
      restored,
      kept: undo.kept,
      created_fields,
      kept_subscribers: kept.map(({ subscriber_id, email, reason }) => ({ id: subscriber_id, email, reason }))
    }
  }

  async function* keptCsv(id: number): AsyncGenerator<string> {
    const write = csvWriter({ csv_field_separator: ',', csv_field_enclosure: '"' })
    yield write([['email', 'why it was left as it is']])
    for (let afterId = 0; ;) {
      const rows = await keptSubscribers(reader, id, afterId, rowsPerRead)
      yield write(rows.map(({ email, reason }) => [email, reasons[reason]]))
      const last = rows.at(-1)
      if (!last || rows.length < rowsPerRead) return
      afterId = last.subscriber_id
      await nextTurn()
    }
  }
})
