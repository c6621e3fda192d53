import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { createReadStream } from 'node:fs'
import { Type } from 'typebox'
import { notFound } from '../base/errors.ts'
import { exportPath } from './plan.ts'
import type { Caller } from '../http/caller.ts'
import { envelope, ok, okPage, pagedEnvelope } from '../http/envelope.ts'
import { localListById } from '../api/mailing-lists/queries.ts'
import { limitPageSize, PageQuery } from '../http/pagination.ts'
import { IdParams, MailingListParams, wrapped } from '../http/schema.ts'
import { exportPage, exportRow, presentExport } from '../api/subscriber-exports/queries.ts'
import { SubscriberExport, SubscriberExportInput } from '../api/subscriber-exports/schema.ts'

const tags = ['Subscriber exports']
const ListQuery = Type.Object(PageQuery(100))

export const subscriberExportRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer, dataDirectory } = app.context

  app.get(
    '/subscriber_exports',
    {
      config: { access: 'subscriber.export' },
      schema: {
        tags,
        summary: 'List the exports of all lists',
        querystring: ListQuery,
        response: { 200: pagedEnvelope(SubscriberExport) }
      }
    },
    async ({ caller, query }) => pageOf(caller, null, query)
  )

  app.get(
    '/mailing_lists/:mailing_list_id/subscriber_exports',
    {
      config: { access: 'subscriber.export' },
      schema: {
        tags,
        summary: 'List the exports of a list',
        params: MailingListParams,
        querystring: ListQuery,
        response: { 200: pagedEnvelope(SubscriberExport) }
      }
    },
    async ({ caller, params, query }) => {
      await localListById(reader, caller.organizationId, params.mailing_list_id, 'subscriber exports')
      return pageOf(caller, params.mailing_list_id, query)
    }
  )

  app.get(
    '/subscriber_exports/:id',
    {
      config: { access: 'subscriber.export' },
      schema: {
        tags,
        summary: 'Read an export',
        params: IdParams,
        response: { 200: envelope(SubscriberExport) }
      }
    },
    async ({ caller, params }) => ok(await answer(caller, params.id))
  )

  app.post(
    '/mailing_lists/:mailing_list_id/subscriber_exports',
    {
      config: { access: 'subscriber.export' },
      schema: {
        tags,
        summary: 'Export subscribers into a CSV file',
        params: MailingListParams,
        body: wrapped('subscriber_export', SubscriberExportInput),
        response: { 200: envelope(SubscriberExport) }
      }
    },
    async ({ caller, params, body }) => {
      const id = await writer.run('subscriberExports.create', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        export: body.subscriber_export
      })
      return ok(await answer(caller, id))
    }
  )

  for (const [action, summary] of [
    ['pause', 'Pause an export'],
    ['unpause', 'Go on with a paused export'],
    ['cancel', 'Cancel an export']
  ] as const) {
    app.post(
      `/subscriber_exports/:id/${action}`,
      {
        config: { access: 'subscriber.export' },
        schema: { tags, summary, params: IdParams, response: { 200: envelope(SubscriberExport) } }
      },
      async ({ caller, params }) => {
        await writer.run(`subscriberExports.${action}`, {
          organizationId: caller.organizationId,
          id: params.id
        })
        return ok(await answer(caller, params.id))
      }
    )
  }

  app.get(
    '/subscriber_exports/:id/download',
    {
      config: { access: 'subscriber.export' },
      schema: { tags, summary: 'Download the file of a finished export', params: IdParams }
    },
    async ({ caller, params }, reply) => {
      const row = await exportRow(reader, caller.organizationId, params.id)
      if (row.state !== 'finished') throw notFound(`the file of subscriber export ${params.id}`)
      return reply
        .type('text/csv; charset=utf-8')
        .header('Content-Disposition', `attachment; filename="export-${params.id}.csv"`)
        .send(createReadStream(exportPath(dataDirectory, params.id)))
    }
  )

  async function answer(caller: Caller, id: number): Promise<SubscriberExport> {
    return presentExport(await exportRow(reader, caller.organizationId, id), caller.timeZone)
  }

  async function pageOf(
    caller: Caller,
    mailingListId: number | null,
    query: { page: number; per_page: number }
  ) {
    limitPageSize(query.per_page, 500)
    const { rows, total } = await exportPage(reader, caller.organizationId, mailingListId, query)
    return okPage(
      rows.map((row) => presentExport(row, caller.timeZone)),
      query,
      total
    )
  }
}
