import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { join } from 'node:path'
import { Type } from 'typebox'
import { fieldsOfList } from '../api/custom-fields/queries.ts'
import { attributesFor, type FieldDefinition, hasOptions } from '../api/custom-fields/rules.ts'
import { customFieldTypes } from '../api/custom-fields/schema.ts'
import { envelope, ok } from '../http/envelope.ts'
import { localListById } from '../api/mailing-lists/queries.ts'
import { MailingListParams, Nullable } from '../http/schema.ts'
import { roomFor } from '../api/subscriber-counts/queries.ts'
import { importOutcomes, SubscriberImport, SubscriberImportInput } from '../api/subscriber-imports/schema.ts'
import { plainMapping } from '../api/subscriber-imports/rules.ts'
import { sendLog } from '../imports/send-log.ts'
import { checkMapping, settingsOf } from '../api/subscriber-imports/settings.ts'
import { notFound } from '../base/errors.ts'
import { findUpload } from '../imports/source.ts'
import type { DryRunProgress } from '../imports/dry-run.ts'

const { overwrite, overwrite_what, overwrite_when_status, column_mapping } = SubscriberImportInput.properties
const { default_custom_fields, subscriber_defaults, file_format } = SubscriberImportInput.properties

const DryRunInput = Type.Object({
  /** In the upload directory. */
  filename: Type.String({ minLength: 1 }),
  /** Custom fields that the import would begin with creating, of types without options. */
  new_custom_fields: Type.Array(
    Type.Object({
      name: Type.String({ minLength: 1 }),
      field_type: Type.Enum(customFieldTypes.filter((type) => !hasOptions(type)))
    }),
    { default: [] }
  ),
  overwrite,
  overwrite_what,
  overwrite_when_status,
  column_mapping,
  default_custom_fields,
  subscriber_defaults,
  file_format
})

const DryRun = Type.Object({
  id: Type.String(),
  state: Type.Enum(['splitting', 'importing', 'finished', 'failed']),
  error_message: Nullable(Type.String()),
  stats: SubscriberImport.properties.stats
})
export type DryRun = DryRunProgress & { id: string }

const LogQuery = Type.Object({ escape_formulas: Type.Boolean({ default: false }) })
const DryRunParams = Type.Object({ id: Type.String({ minLength: 1 }) })

/** /app/v1/dry_runs: what an import would do, without doing it. */
export const dryRunRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, dryRuns, dataDirectory } = app.context
  const config = { access: 'subscriber.import' } as const

  app.post(
    '/mailing_lists/:mailing_list_id/dry_runs',
    {
      config,
      schema: {
        hide: true,
        params: MailingListParams,
        body: DryRunInput,
        response: { 200: envelope(DryRun) }
      }
    },
    async ({ caller, params, body }) => {
      const { organizationId } = caller
      const list = await localListById(reader, organizationId, params.mailing_list_id, 'subscriber imports')
      const existing = await fieldsOfList(reader, organizationId, list.id)
      const fields = [...existing, ...body.new_custom_fields.map(pretendedField)]
      const settings = { ...settingsOf(body), column_mapping: plainMapping(body.column_mapping, fields) }
      checkMapping(settings, list, fields)
      const { path } = await findUpload(dataDirectory, organizationId, body.filename)
      const id = await dryRuns.start(organizationId, {
        mailingListId: list.id,
        room: await roomFor(reader, organizationId),
        plan: {
          settings,
          fields,
          primaryKeyFieldId: list.primary_key_custom_field_id,
          timeZone: caller.timeZone,
          path: join(dataDirectory, path),
          committed: []
        }
      })
      return ok(answer(organizationId, id))
    }
  )

  app.get(
    '/dry_runs/:id',
    { config, schema: { hide: true, params: DryRunParams, response: { 200: envelope(DryRun) } } },
    async ({ caller, params }) => ok(answer(caller.organizationId, params.id))
  )

  app.get(
    '/dry_runs/:id/logs/:log',
    {
      config,
      schema: {
        hide: true,
        params: Type.Object({ ...DryRunParams.properties, log: Type.Enum([...importOutcomes]) }),
        querystring: LogQuery
      }
    },
    async ({ caller, params, query }, reply) => {
      const { logs, format } = find(caller.organizationId, params.id)
      return sendLog(reply, logs, params.log, {
        name: `dry run ${params.id}`,
        file: 'dry-run',
        ...(query.escape_formulas && { escaped: format })
      })
    }
  )

  app.delete(
    '/dry_runs/:id',
    { config, schema: { hide: true, params: DryRunParams, response: { 200: envelope(Type.Null()) } } },
    async ({ caller, params }) => {
      if (!(await dryRuns.remove(caller.organizationId, params.id))) throw notFound(`dry run ${params.id}`)
      return ok(null)
    }
  )

  function find(organizationId: number, id: string) {
    const found = dryRuns.find(organizationId, id)
    if (!found) throw notFound(`dry run ${id}`)
    return found
  }

  function answer(organizationId: number, id: string): DryRun {
    return { id, ...find(organizationId, id).progress }
  }
}

/** A field that does not exist yet; its id clashes with none that does. */
function pretendedField(
  { name, field_type: type }: { name: string; field_type: FieldDefinition['type'] },
  index: number
): FieldDefinition {
  return {
    id: -1 - index,
    organizationId: 0,
    mailingListId: null,
    name: name.trim(),
    type,
    required: false,
    instructions: null,
    attributes: attributesFor(type, {}),
    options: []
  }
}
