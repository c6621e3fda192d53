import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, ok } from '../../http/envelope.ts'
import { mailingListById } from '../../api/mailing-lists/queries.ts'
import { MailingListParams } from '../../http/schema.ts'
import { maxColumns } from '../../api/subscriber-imports/schema.ts'
import { importMappings } from './queries.ts'
import { ImportMapping, ImportMappingInput, MappedColumn } from './schema.ts'

const Mappings = Type.Array(ImportMapping)

/** /app/v1/mailing_lists/:id/import_mappings and remembered_columns: what the wizard of an import need not ask again. */
export const importMappingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer } = app.context
  const config = { access: 'subscriber.import' } as const
  const path = '/mailing_lists/:mailing_list_id/import_mappings'

  app.get(
    path,
    { config, schema: { hide: true, params: MailingListParams, response: { 200: envelope(Mappings) } } },
    async ({ caller, params }) => {
      await mailingListById(reader, caller.organizationId, params.mailing_list_id)
      return ok(await importMappings(reader, params.mailing_list_id))
    }
  )

  app.put(
    path,
    {
      config,
      schema: {
        hide: true,
        params: MailingListParams,
        body: ImportMappingInput,
        response: { 200: envelope(Mappings) }
      }
    },
    async ({ caller, params, body }) => {
      const { name, ...settings } = body
      await writer.run('importMappings.save', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        name,
        settings
      })
      return ok(await importMappings(reader, params.mailing_list_id))
    }
  )

  app.delete(
    `${path}/:id`,
    {
      config,
      schema: {
        hide: true,
        params: Type.Object({ ...MailingListParams.properties, id: Type.Integer() }),
        response: { 200: envelope(Mappings) }
      }
    },
    async ({ caller, params }) => {
      await writer.run('importMappings.delete', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        id: params.id
      })
      return ok(await importMappings(reader, params.mailing_list_id))
    }
  )

  app.put(
    '/mailing_lists/:mailing_list_id/remembered_columns',
    {
      config,
      schema: {
        hide: true,
        params: MailingListParams,
        body: Type.Object({ columns: Type.Array(MappedColumn, { maxItems: maxColumns }) }),
        response: { 200: envelope(Type.Null()) }
      }
    },
    async ({ caller, params, body }) => {
      await writer.run('importMappings.rememberColumns', {
        organizationId: caller.organizationId,
        mailingListId: params.mailing_list_id,
        columns: body.columns
      })
      return ok(null)
    }
  )
}
