import { englishOf } from '../../base/refusal.ts'
import { join } from 'node:path'
import { fieldsOfList } from '../../api/custom-fields/queries.ts'
import { ok, okPage } from '../../http/envelope.ts'
import { limitPageSize } from '../../http/pagination.ts'
import { localListById } from '../../api/mailing-lists/queries.ts'
import { roomFor } from '../../api/subscriber-counts/queries.ts'
import { fieldsWithCreated, settingsOf } from '../../imports/interpreted-rows.ts'
import { logPath } from '../../imports/logs.ts'
import { sendLog } from '../../imports/send-log.ts'
import { checkMapping } from '../../api/subscriber-imports/settings.ts'
import { notFound } from '../../base/errors.ts'
import { findUpload } from '../../imports/source.ts'
import { type DryRun, dryRunEndpoints } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

/** /app/v1/dry_runs: what an import would do, without doing it. */
export const dryRunRoutes = serveEndpoints(
  dryRunEndpoints,
  ({ reader, dryRuns, failedRows, dataDirectory }) => {
    return {
      'POST /mailing_lists/:mailing_list_id/dry_runs': async ({ caller, params, body }) => {
        const { organizationId } = caller
        const list = await localListById(reader, organizationId, params.mailing_list_id, 'subscriber imports')
        const existing = await fieldsOfList(reader, organizationId, list.id)
        const { filename, reading, ...options } = body
        const fields = fieldsWithCreated(existing, reading)
        const settings = settingsOf(reading, options)
        checkMapping(settings, list, fields)
        const { path } = await findUpload(dataDirectory, organizationId, filename)
        const id = await dryRuns.start(organizationId, {
          mailingListId: list.id,
          room: await roomFor(reader, organizationId),
          plan: {
            settings,
            reading,
            fields,
            primaryKeyFieldId: list.primary_key_custom_field_id,
            timeZone: caller.timeZone,
            path: join(dataDirectory, path),
            committed: []
          }
        })
        return ok(answer(organizationId, id))
      },

      'GET /dry_runs/:id': async ({ caller, params }) => ok(answer(caller.organizationId, params.id)),

      'GET /dry_runs/:id/logs/:log': async ({ caller, params, query }, reply) => {
        const { logs, format, headers } = find(caller.organizationId, params.id)
        return sendLog(reply, logs, params.log, {
          name: `dry run ${params.id}`,
          file: 'dry-run',
          ...(query.escape_formulas && { escaped: format, headers })
        })
      },

      'GET /dry_runs/:id/failed_rows': async ({ caller, params, query }) => {
        limitPageSize(query.per_page, 500)
        const { logs, format, columns } = find(caller.organizationId, params.id)
        const page = await failedRows.page(
          { path: logPath(logs, 'failed'), format, columns },
          {
            reason: query.reason ?? null,
            without: [],
            position: query.page * query.per_page,
            limit: query.per_page
          }
        )
        return { ...okPage(page.rows, query, page.total), reasons: page.reasons }
      },

      'DELETE /dry_runs/:id': async ({ caller, params }) => {
        if (!(await dryRuns.remove(caller.organizationId, params.id))) throw notFound('dry run', params.id)
        return ok(null)
      }
    }

    function find(organizationId: number, id: string) {
      const found = dryRuns.find(organizationId, id)
      if (!found) throw notFound('dry run', id)
      return found
    }

    function answer(organizationId: number, id: string): DryRun {
      const { progress } = find(organizationId, id)
      return { id, ...progress, error_message: progress.fault && englishOf(progress.fault) }
    }
  }
)
