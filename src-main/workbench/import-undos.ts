import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import { envelope, ok } from '../http/envelope.ts'
import { requirePermission } from '../http/permissions.ts'
import { IdParams } from '../http/schema.ts'
import { importRow } from '../api/subscriber-imports/queries.ts'
import { hasImportChanges, importUndo, keptSubscribers } from '../imports/undo-queries.ts'
import { csvWriter } from '../csv/csv-writer.ts'

/** Rows that the window shows; the CSV has all of them. */
const shownRows = 50
/** Rows read at once for the CSV. */
const rowsPerRead = 1000

const ImportUndo = Type.Object({
  /** none: can be undone; impossible: changed nothing, or ended too long ago. */
  state: Type.Enum(['none', 'impossible', 'running', 'finished']),
  /** How much there is to look at, and how much of it the undoing has looked at: its progress. */
  total: Type.Integer(),
  done: Type.Integer(),
  removed: Type.Integer(),
  restored: Type.Integer(),
  kept: Type.Integer(),
  /** The first of those whom the undoing left as they are. */
  kept_subscribers: Type.Array(
    Type.Object({
      id: Type.Integer(),
      email: Type.String(),
      reason: Type.Enum(['changed', 'primary_key'])
    })
  )
})
export type ImportUndo = Static<typeof ImportUndo>

const reasons = {
  changed: 'changed since the import',
  primary_key: 'the primary key of the list has changed since'
} as const

/** /app/v1/subscriber_imports/:id/undo: takes back what an import did, as far as nobody changed it since. */
export const importUndoRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer } = app.context
  const config = { access: 'subscriber.import' } as const

  app.get(
    '/subscriber_imports/:id/undo',
    { config, schema: { hide: true, params: IdParams, response: { 200: envelope(ImportUndo) } } },
    async ({ caller, params }) => ok(await answer(caller.organizationId, params.id))
  )

  app.post(
    '/subscriber_imports/:id/undo',
    { config, schema: { hide: true, params: IdParams, response: { 200: envelope(ImportUndo) } } },
    async ({ caller, params }) => {
      requirePermission(caller, 'subscriber.delete')
      requirePermission(caller, 'subscriber.update')
      const { organizationId } = caller
      await writer.run('importUndos.begin', { organizationId, id: params.id })
      return ok(await answer(organizationId, params.id))
    }
  )

  app.get(
    '/subscriber_imports/:id/undo/kept',
    { config, schema: { hide: true, params: IdParams } },
    async ({ caller, params }, reply) => {
      await importRow(reader, caller.organizationId, params.id)
      return reply
        .type('text/csv; charset=utf-8')
        .header('Content-Disposition', `attachment; filename="import-${params.id}-not-undone.csv"`)
        .send(Readable.from(keptCsv(params.id)))
    }
  )

  async function answer(organizationId: number, id: number): Promise<ImportUndo> {
    const row = await importRow(reader, organizationId, id)
    const undo = await importUndo(reader, id)
    if (!undo) {
      const possible = row.finished_at !== null && (await hasImportChanges(reader, id))
      const state = possible ? 'none' : 'impossible'
      return { state, total: 0, done: 0, removed: 0, restored: 0, kept: 0, kept_subscribers: [] }
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
    }
  }
}
