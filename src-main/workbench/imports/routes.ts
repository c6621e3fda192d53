import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  importPage,
  importRow,
  type ImportRow,
  presentImport,
  presentImportSummary,
  type StoredSettings
} from '../../api/subscriber-imports/queries.ts'
import { hasLogs } from '../../api/subscriber-imports/rules.ts'
import { mailingListById } from '../../api/mailing-lists/queries.ts'
import { importsThatAdded } from '../../api/subscriber-imports/addition-queries.ts'
import { notFound, validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { formatTime } from '../../base/times.ts'
import { headersOf, type Reading, readingOf } from '../../contact-files/schema.ts'
import { csvWriter } from '../../csv/csv-writer.ts'
import { ok, okPage } from '../../http/envelope.ts'
import { limitPageSize } from '../../http/pagination.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { correctedPlaces, correctionsOf, linkedImports } from '../../imports/correction-queries.ts'
import type { FailedLog } from '../../imports/failed-rows.ts'
import { logDirectory, logPath } from '../../imports/logs.ts'
import { sendLog } from '../../imports/send-log.ts'
import { storeContent } from '../../imports/source.ts'
import { importEndpoints } from './endpoints.ts'

/** Imports as the window shows them: with their failed rows, and the imports that correct these. */
export const importRoutes = serveEndpoints(
  importEndpoints,
  ({ reader, writer, failedRows, dataDirectory }) => {
    return {
      'GET /subscriber_imports': async ({ caller, query }) => {
        limitPageSize(query.per_page, 500)
        const { organizationId, timeZone } = caller
        const mailingListId = query.mailing_list_id ?? null
        const filter = { organizationId, mailingListId, scope: 'all', now: Date.now() } as const
        const { rows, total } = await importPage(reader, filter, query)
        const links = await linkedImports(
          reader,
          rows.map(({ id }) => id)
        )
        const listed = rows.map((row) => {
          const link = links.get(row.id)
          return {
            ...presentImportSummary(row, timeZone),
            name: link?.name ?? null,
            failed: link?.counts.failed ?? 0,
            corrected: link?.corrected ?? 0,
            corrects_id: link?.correctsId ?? null,
            is_undone: link?.isUndone ?? false
          }
        })
        return okPage(listed, query, total)
      },

      'GET /mailing_lists/:mailing_list_id/imports_that_added': async ({ caller, params }) => {
        const list = await mailingListById(reader, caller.organizationId, params.mailing_list_id)
        const rows = await importsThatAdded(reader, list.id)
        const links = await linkedImports(
          reader,
          rows.map(({ id }) => id)
        )
        return ok(
          rows.map(({ id, begins_at, added }) => ({
            id,
            name: links.get(id)?.name ?? null,
            corrects_id: links.get(id)?.correctsId ?? null,
            begins_at: formatTime(begins_at, caller.timeZone),
            added
          }))
        )
      },

      'GET /subscriber_imports/:id/links': async ({ caller, params }) => {
        const row = await importRow(reader, caller.organizationId, params.id)
        const { id } = row
        const reading = readingOf(row)
        const corrections = await correctionsOf(reader, id)
        const links = await linkedImports(reader, [id, ...corrections.map((each) => each.id)])
        return ok({
          name: links.get(id)?.name ?? null,
          file: reading && {
            kind: reading.file.kind,
            character_set: reading.file.character_set,
            headers: headersOf(reading)
          },
          corrects_id: links.get(id)?.correctsId ?? null,
          is_undone: links.get(id)?.isUndone ?? false,
          corrections: corrections.flatMap((each) => {
            const link = links.get(each.id)
            if (!link) return []
            const { added, updated, failed } = link.counts
            return [{ id: each.id, state: link.state, rows: each.places.length, added, updated, failed }]
          })
        })
      },

      'GET /subscriber_imports/:id/failed_rows': async ({ caller, params, query }) => {
        limitPageSize(query.per_page, 500)
        const row = await importRow(reader, caller.organizationId, params.id)
        const corrected = await correctedPlaces(reader, row.id)
        const page = await failedRows.page(logOf(row), {
          reason: query.reason ?? null,
          without: [...corrected],
          position: query.page * query.per_page,
          limit: query.per_page
        })
        return { ...okPage(page.rows, query, page.total), reasons: page.reasons }
      },

      'GET /subscriber_imports/:id/failed_rows_file': async ({ caller, params }, reply) => {
        const row = await importRow(reader, caller.organizationId, params.id)
        if (!hasLogs(row, Date.now())) throw notFound('log failed of subscriber import', params.id)
        return sendLog(reply, logDirectory(dataDirectory, row.id), 'failed', {
          name: `subscriber import ${row.id}`,
          file: `import-${row.id}`,
          escaped: (JSON.parse(row.settings) as StoredSettings).file_format,
          headers: headersOfImport(row)
        })
      },

      'POST /subscriber_imports/:id/corrections': async ({ caller, params, body }) => {
        const { organizationId } = caller
        const row = await importRow(reader, organizationId, params.id)
        if (row.finished_at === null) throw validationFailed(refusal('import_under_way'))
        const log = logOf(row)
        const places = body.rows.map(({ place }) => place)
        const lines = await failedRows.lines(log, places)
        for (const place of places) {
          if (!lines.has(place)) throw validationFailed(refusal('no_failed_row', { row: place + 1 }))
        }
        const { autoresponders, ...settings } = JSON.parse(row.settings) as StoredSettings
        const rows = body.rows.map(({ place, cells }) => ({ line: lines.get(place) ?? 1, cells }))
        const source = await storeContent(dataDirectory, contentOf(rows, log))
        try {
          const id = await writer.run('subscriberImports.create', {
            organizationId,
            mailingListId: row.mailing_list_id,
            settings: {
              ...settings,
              file_format: {
                ...settings.file_format,
                csv_has_headers: false,
                character_set: 'UTF-8',
                escape_formulas: false
              }
            },
            reading: row.reading === null ? null : correctingReading(JSON.parse(row.reading) as Reading),
            autoresponders,
            source,
            beginsAt: null,
            corrects: { id: row.id, places }
          })
          return ok(presentImport(await importRow(reader, organizationId, id), caller.timeZone))
        } catch (error) {
          await rm(join(dataDirectory, source.path), { force: true })
          throw error
        }
      }
    }

    function logOf({ id, settings }: ImportRow): FailedLog {
      const { file_format: format, column_mapping: columns } = JSON.parse(settings) as StoredSettings
      return { path: logPath(logDirectory(dataDirectory, id), 'failed'), format, columns }
    }
  }
)

function headersOfImport(row: ImportRow): string[] | null {
  const reading = readingOf(row)
  if (reading) return headersOf(reading)
  return (JSON.parse(row.settings) as StoredSettings).column_mapping.map((name) => name ?? '')
}

/** Returns how corrected rows are read: like the original file, but from plain CSV without a header. */
function correctingReading(reading: Reading): Reading {
  return {
    ...reading,
    // The fields that the import created exist by now.
    columns: reading.columns.map((column) => ({ ...column, new_field_type: null })),
    header_line: null,
    corrected_rows: [],
    file: { ...reading.file, entry: null, sheet: null, character_set: 'utf-8', encloses_lines: false }
  }
}

/**
 * Returns a CSV file in which each row keeps its original line: empty lines fill the gaps. A row that now
 * spans more lines than before may push the next row down.
 */
function contentOf(rows: { line: number; cells: string[] }[], { format }: FailedLog): string {
  const write = csvWriter(format)
  let content = ''
  let line = 1
  for (const row of rows.toSorted((a, b) => a.line - b.line)) {
    const text = write([row.cells])
    content += '\n'.repeat(Math.max(0, row.line - line)) + text
    line = Math.max(row.line, line) + (text.match(/\n/g)?.length ?? 0)
  }
  return content
}
