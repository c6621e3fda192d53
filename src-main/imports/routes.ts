import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { join } from 'node:path'
import { parseTimeInput, timeComplaint } from '../base/dates.ts'
import { notFound, validationFailed } from '../base/errors.ts'
import { refusal, refusalAt } from '../base/refusal.ts'
import { logDirectory } from './logs.ts'
import { downloadFrom, findUpload, type ImportSource, storeContent } from './source.ts'
import { currentSettings } from '../settings/queries.ts'
import type { Caller } from '../http/caller.ts'
import { ok, okPage } from '../http/envelope.ts'
import { localListById } from '../api/mailing-lists/queries.ts'
import { limitPageSize, type Page } from '../http/pagination.ts'
import {
  importPage,
  importRow,
  type ImportScope,
  presentImport,
  presentImportSummary,
  type StoredSettings
} from '../api/subscriber-imports/queries.ts'
import {
  maxJsonContentBytes,
  SubscriberImport,
  SubscriberImportInput
} from '../api/subscriber-imports/schema.ts'
import { hasLogs } from '../api/subscriber-imports/rules.ts'
import { addedIdsExtension, extensionsHeader } from '../http/extensions.ts'
import { addedIds } from './added-ids.ts'
import { sendLog } from './send-log.ts'
import { settingsOf } from '../api/subscriber-imports/settings.ts'
import { subscriberImportEndpoints } from '../api/subscriber-imports/endpoints.ts'
import type { LongTexts } from '../http/json-body.ts'
import { serveEndpoints } from '../http/serve.ts'

export const subscriberImportRoutes = serveEndpoints(
  subscriberImportEndpoints,
  ({ reader, writer, dataDirectory }) => {
    return {
      'GET /subscriber_imports': async ({ caller, query }) => pageOf(caller, null, query),

      'GET /mailing_lists/:mailing_list_id/subscriber_imports': async ({ caller, params, query }) => {
        await localList(caller, params.mailing_list_id)
        return pageOf(caller, params.mailing_list_id, query)
      },

      'GET /subscriber_imports/:id': async ({ caller, params }, reply) => {
        void reply.header(extensionsHeader, addedIdsExtension)
        return ok(await answer(caller, params.id))
      },

      'GET /subscriber_imports/:id/added_ids': async ({ caller, params }, reply) => {
        const row = await importRow(reader, caller.organizationId, params.id)
        await localList(caller, row.mailing_list_id)
        return reply.type('text/csv; charset=utf-8').send(Readable.from(addedIds(reader, row)))
      },

      'POST /mailing_lists/:mailing_list_id/subscriber_imports': async ({
        caller,
        params,
        body,
        longTexts
      }) => {
        const input = body.subscriber_import
        await localList(caller, params.mailing_list_id)
        const begins = beginsAt(input.begins_at, caller.timeZone)
        const source = await sourceOf(input.file_source, caller.organizationId, longTexts)
        const id = await keepingSource(source, () =>
          writer.run('subscriberImports.create', {
            organizationId: caller.organizationId,
            mailingListId: params.mailing_list_id,
            settings: settingsOf(input),
            autoresponders: input.autoresponders ?? {},
            reading: null,
            source,
            beginsAt: begins,
            corrects: null
          })
        )
        return ok(await answer(caller, id))
      },

      'POST /subscriber_imports/:id/pause': async ({ caller, params }) =>
        changeState(caller, 'subscriberImports.pause', params.id),
      'POST /subscriber_imports/:id/unpause': async ({ caller, params }) =>
        changeState(caller, 'subscriberImports.unpause', params.id),
      'POST /subscriber_imports/:id/cancel': async ({ caller, params }) =>
        changeState(caller, 'subscriberImports.cancel', params.id),

      'GET /subscriber_imports/:id/logs/:log': async ({ caller, params, query }, reply) => {
        const row = await importRow(reader, caller.organizationId, params.id)
        if (!hasLogs(row, Date.now())) throw notFound(`log ${params.log} of subscriber import`, params.id)
        return sendLog(reply, logDirectory(dataDirectory, params.id), params.log, {
          name: `subscriber import ${params.id}`,
          file: `import-${params.id}`,
          ...(query.escape_formulas && { escaped: (JSON.parse(row.settings) as StoredSettings).file_format })
        })
      }
    }

    function localList({ organizationId }: Caller, id: number): Promise<unknown> {
      return localListById(reader, organizationId, id, 'subscriber imports')
    }

    async function changeState(
      caller: Caller,
      command: 'subscriberImports.pause' | 'subscriberImports.unpause' | 'subscriberImports.cancel',
      id: number
    ) {
      await writer.run(command, { organizationId: caller.organizationId, id })
      return ok(await answer(caller, id))
    }

    async function answer(caller: Caller, id: number): Promise<SubscriberImport> {
      return presentImport(await importRow(reader, caller.organizationId, id), caller.timeZone)
    }

    async function pageOf(
      caller: Caller,
      mailingListId: number | null,
      query: Page & { scope: ImportScope }
    ) {
      limitPageSize(query.per_page, 500)
      const { rows, total } = await importPage(
        reader,
        { organizationId: caller.organizationId, mailingListId, scope: query.scope, now: Date.now() },
        query
      )
      return okPage(
        rows.map((row) => presentImportSummary(row, caller.timeZone)),
        query,
        total
      )
    }

    /** Does what needs the source of an import; the content of one that is refused is not kept. */
    async function keepingSource<Result>(
      { type, path }: ImportSource,
      work: () => Promise<Result>
    ): Promise<Result> {
      try {
        return await work()
      } catch (error) {
        if (type === 'json') await rm(join(dataDirectory, path), { force: true })
        throw error
      }
    }

    async function sourceOf(
      source: SubscriberImportInput['file_source'],
      organizationId: number,
      longTexts: LongTexts | undefined
    ): Promise<ImportSource> {
      if (source.type === 'json') {
        if (source.content === undefined)
          throw validationFailed(refusal('blank', { field: 'file_source.content' }))
        const content = longTexts?.get(source.content) ?? source.content
        if (Buffer.byteLength(content) > maxJsonContentBytes) {
          throw validationFailed(refusal('content_too_large', { field: 'file_source.content' }))
        }
        return storeContent(dataDirectory, content)
      }
      if (source.type === 'url') {
        if (source.url === undefined) throw validationFailed(refusal('blank', { field: 'file_source.url' }))
        const { service_url_imports_allow_private_addresses: allowsPrivate } = await currentSettings(reader)
        return downloadFrom(source.url, allowsPrivate)
      }
      if (source.filename === undefined) {
        throw validationFailed(refusal('blank', { field: 'file_source.filename' }))
      }
      return findUpload(dataDirectory, organizationId, source.filename)
    }
  }
)

function beginsAt(given: string | number | undefined, timeZone: string): number | null {
  // docs/api.md, "Requests and answers": "now" is the time at which the request is processed.
  if (given === undefined || given === 'now') return null
  const time = parseTimeInput(given, timeZone)
  if (time === null) throw validationFailed(refusalAt('begins_at', timeComplaint(given)))
  return time
}
