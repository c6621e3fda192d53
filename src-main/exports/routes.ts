import { createReadStream } from 'node:fs'
import { ApiError, notFound } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { exportPath } from './plan.ts'
import type { Caller } from '../http/caller.ts'
import { ok, okPage } from '../http/envelope.ts'
import { localListById } from '../api/mailing-lists/queries.ts'
import { limitPageSize, type Page } from '../http/pagination.ts'
import { exportPage, exportRow, presentExport } from '../api/subscriber-exports/queries.ts'
import { exportFileDays } from '../api/subscriber-exports/rules.ts'
import { SubscriberExport } from '../api/subscriber-exports/schema.ts'
import { subscriberExportEndpoints } from '../api/subscriber-exports/endpoints.ts'
import { serveEndpoints } from '../http/serve.ts'

export const subscriberExportRoutes = serveEndpoints(
  subscriberExportEndpoints,
  ({ reader, writer, dataDirectory }) => {
    return {
      'GET /subscriber_exports': async ({ caller, query }) => pageOf(caller, null, query),

      'GET /mailing_lists/:mailing_list_id/subscriber_exports': async ({ caller, params, query }) => {
        await localListById(reader, caller.organizationId, params.mailing_list_id, 'subscriber exports')
        return pageOf(caller, params.mailing_list_id, query)
      },

      'GET /subscriber_exports/:id': async ({ caller, params }) => ok(await answer(caller, params.id)),

      'POST /mailing_lists/:mailing_list_id/subscriber_exports': async ({ caller, params, body }) => {
        const id = await writer.run('subscriberExports.create', {
          organizationId: caller.organizationId,
          mailingListId: params.mailing_list_id,
          selected: null,
          export: body.subscriber_export
        })
        return ok(await answer(caller, id))
      },

      'POST /subscriber_exports/:id/pause': async ({ caller, params }) =>
        changeState(caller, 'subscriberExports.pause', params.id),
      'POST /subscriber_exports/:id/unpause': async ({ caller, params }) =>
        changeState(caller, 'subscriberExports.unpause', params.id),
      'POST /subscriber_exports/:id/cancel': async ({ caller, params }) =>
        changeState(caller, 'subscriberExports.cancel', params.id),

      'GET /subscriber_exports/:id/download': async ({ caller, params }, reply) => {
        const row = await exportRow(reader, caller.organizationId, params.id)
        if (row.state !== 'finished') throw notFound('the file of subscriber export', params.id)
        if (row.file_removed_at !== null) {
          throw new ApiError(
            'not_found',
            refusal('export_file_removed', { id: params.id, days: exportFileDays })
          )
        }
        return reply
          .type('text/csv; charset=utf-8')
          .header('Content-Disposition', `attachment; filename="export-${params.id}.csv"`)
          .send(createReadStream(exportPath(dataDirectory, params.id)))
      }
    }

    async function changeState(
      caller: Caller,
      command: 'subscriberExports.pause' | 'subscriberExports.unpause' | 'subscriberExports.cancel',
      id: number
    ) {
      await writer.run(command, { organizationId: caller.organizationId, id })
      return ok(await answer(caller, id))
    }

    async function answer(caller: Caller, id: number): Promise<SubscriberExport> {
      return presentExport(await exportRow(reader, caller.organizationId, id), caller.timeZone)
    }

    async function pageOf(caller: Caller, mailingListId: number | null, query: Page) {
      limitPageSize(query.per_page, 500)
      const { rows, total } = await exportPage(reader, caller.organizationId, mailingListId, query)
      return okPage(
        rows.map((row) => presentExport(row, caller.timeZone)),
        query,
        total
      )
    }
  }
)
