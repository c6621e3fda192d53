import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { parseTimeInput, timeComplaint } from '../base/dates.ts'
import { validationFailed } from '../base/errors.ts'
import { logDirectory } from './logs.ts'
import { downloadFrom, findUpload, type ImportSource, keepContent } from './source.ts'
import { currentSettings } from '../settings/queries.ts'
import type { Caller } from '../http/caller.ts'
import { envelope, ok, okPage, pagedEnvelope } from '../http/envelope.ts'
import { localListById } from '../api/mailing-lists/queries.ts'
import { limitPageSize, PageQuery } from '../http/pagination.ts'
import { IdParams, MailingListParams, wrapped } from '../http/schema.ts'
import {
  importPage,
  importRow,
  type ImportScope,
  presentImport,
  presentImportSummary,
  type StoredSettings
} from '../api/subscriber-imports/queries.ts'
import {
  importOutcomes,
  importScopes,
  maxJsonContentBytes,
  SubscriberImport,
  SubscriberImportInput,
  SubscriberImportSummary
} from '../api/subscriber-imports/schema.ts'
import { sendLog } from './send-log.ts'
import { settingsOf } from '../api/subscriber-imports/settings.ts'

const tags = ['Subscriber imports']
const ListQuery = Type.Object({
  ...PageQuery(100),
  scope: Type.Enum([...importScopes], { default: 'recent' })
})

export const subscriberImportRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer, dataDirectory } = app.context

  app.get(
    '/subscriber_imports',
    {
      config: { access: 'subscriber.import' },
      schema: {
        tags,
        summary: 'List the imports of all lists',
        querystring: ListQuery,
        response: { 200: pagedEnvelope(SubscriberImportSummary) }
      }
    },
    async ({ caller, query }) => pageOf(caller, null, query)
  )

  app.get(
    '/mailing_lists/:mailing_list_id/subscriber_imports',
    {
      config: { access: 'subscriber.import' },
      schema: {
        tags,
        summary: 'List the imports of a list',
        params: MailingListParams,
        querystring: ListQuery,
        response: { 200: pagedEnvelope(SubscriberImportSummary) }
      }
    },
    async ({ caller, params, query }) => {
      await localList(caller, params.mailing_list_id)
      return pageOf(caller, params.mailing_list_id, query)
    }
  )

  app.get(
    '/subscriber_imports/:id',
    {
      config: { access: 'subscriber.import' },
      schema: {
        tags,
        summary: 'Read an import',
        params: IdParams,
        response: { 200: envelope(SubscriberImport) }
      }
    },
    async ({ caller, params }) => ok(await answer(caller, params.id))
  )

  app.post(
    '/mailing_lists/:mailing_list_id/subscriber_imports',
    {
      // JSON may write one byte of the text with several.
      bodyLimit: 4 * maxJsonContentBytes,
      config: { access: 'subscriber.import' },
      schema: {
        tags,
        summary: 'Import subscribers from a CSV file',
        params: MailingListParams,
        body: wrapped('subscriber_import', SubscriberImportInput),
        response: { 200: envelope(SubscriberImport) }
      }
    },
    async ({ caller, params, body }) => {
      const input = body.subscriber_import
      await localList(caller, params.mailing_list_id)
      const begins = beginsAt(input.begins_at, caller.timeZone)
      const source = await sourceOf(input.file_source, caller.organizationId)
      const id = await keepingSource(source, () =>
        writer.run('subscriberImports.create', {
          organizationId: caller.organizationId,
          mailingListId: params.mailing_list_id,
          settings: settingsOf(input),
          autoresponders: input.autoresponders ?? {},
          source,
          beginsAt: begins
        })
      )
      return ok(await answer(caller, id))
    }
  )

  for (const [action, summary] of [
    ['pause', 'Pause an import'],
    ['unpause', 'Go on with a paused import'],
    ['cancel', 'Cancel an import']
  ] as const) {
    app.post(
      `/subscriber_imports/:id/${action}`,
      {
        config: { access: 'subscriber.import' },
        schema: { tags, summary, params: IdParams, response: { 200: envelope(SubscriberImport) } }
      },
      async ({ caller, params }) => {
        await writer.run(`subscriberImports.${action}`, {
          organizationId: caller.organizationId,
          id: params.id
        })
        return ok(await answer(caller, params.id))
      }
    )
  }

  app.get(
    '/subscriber_imports/:id/logs/:log',
    {
      config: { access: 'subscriber.import' },
      schema: {
        tags,
        summary: 'Download what became of the rows',
        params: Type.Object({ ...IdParams.properties, log: Type.Enum([...importOutcomes]) }),
        querystring: Type.Object({ escape_formulas: Type.Boolean({ default: false }) })
      }
    },
    async ({ caller, params, query }, reply) => {
      const row = await importRow(reader, caller.organizationId, params.id)
      return sendLog(reply, logDirectory(dataDirectory, params.id), params.log, {
        name: `subscriber import ${params.id}`,
        file: `import-${params.id}`,
        ...(query.escape_formulas && { escaped: (JSON.parse(row.settings) as StoredSettings).file_format })
      })
    }
  )

  function localList({ organizationId }: Caller, id: number): Promise<unknown> {
    return localListById(reader, organizationId, id, 'subscriber imports')
  }

  async function answer(caller: Caller, id: number): Promise<SubscriberImport> {
    return presentImport(await importRow(reader, caller.organizationId, id), caller.timeZone)
  }

  async function pageOf(
    caller: Caller,
    mailingListId: number | null,
    query: { page: number; per_page: number; scope: ImportScope }
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
    organizationId: number
  ): Promise<ImportSource> {
    if (source.type === 'json') {
      if (source.content === undefined) throw validationFailed('file_source.content cannot be blank')
      if (Buffer.byteLength(source.content) > maxJsonContentBytes) {
        throw validationFailed(
          'file_source.content must be at most 16 MB; use upload_directory for larger files'
        )
      }
      return keepContent(dataDirectory, source.content)
    }
    if (source.type === 'url') {
      if (source.url === undefined) throw validationFailed('file_source.url cannot be blank')
      const { service_url_imports_allow_private_addresses: allowsPrivate } = await currentSettings(reader)
      return downloadFrom(source.url, allowsPrivate)
    }
    if (source.filename === undefined) throw validationFailed('file_source.filename cannot be blank')
    return findUpload(dataDirectory, organizationId, source.filename)
  }
}

function beginsAt(given: string | number | undefined, timeZone: string): number | null {
  // Supplement, section 1: "now" is the time at which the request is carried out.
  if (given === undefined || given === 'now') return null
  const time = parseTimeInput(given, timeZone)
  if (time === null) throw validationFailed(`begins_at ${timeComplaint(given)}`)
  return time
}
