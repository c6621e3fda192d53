import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { notFound } from '../../base/errors.ts'
import { formatTime } from '../../base/times.ts'
import type { Caller } from '../../http/caller.ts'
import { envelope, ok, okPage, pagedEnvelope } from '../../http/envelope.ts'
import { mailingListById, mailingListsOf } from '../mailing-lists/queries.ts'
import { PageQuery } from '../../http/pagination.ts'
import { IdParams, MailingListParams, wrapped } from '../../http/schema.ts'
import { deletedFields, fieldById, fieldsOfList, globalFields, presentField } from './queries.ts'
import type { FieldDefinition } from './rules.ts'
import { CustomField, CustomFieldChanges, CustomFieldInput, DeletedCustomField } from './schema.ts'
import { isOfPath, lostValues, refuseWhileUsed } from './commands.ts'
import { endOfChangeLog, type LostValues } from './values-in-use.ts'

const tags = ['Custom fields']

const ListQuery = Type.Object({
  ...PageQuery(2000),
  name: Type.Optional(Type.String()),
  name_contains: Type.Optional(Type.String()),
  order_by: Type.Enum(['id', 'name'], { default: 'id' })
})
type ListQuery = Static<typeof ListQuery>

const FieldOfListParams = Type.Object({ ...MailingListParams.properties, ...IdParams.properties })

export const customFieldRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { reader, writer, segments } = app.context

  app.get(
    '/mailing_lists/:mailing_list_id/custom_fields',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'List the custom fields of a list, the global ones included',
        params: MailingListParams,
        querystring: ListQuery,
        response: { 200: pagedEnvelope(CustomField) }
      }
    },
    async ({ caller, params, query }) => {
      await mailingListById(reader, caller.organizationId, params.mailing_list_id)
      return pageOf(await fieldsOfList(reader, caller.organizationId, params.mailing_list_id), query)
    }
  )

  app.get(
    '/custom_fields',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'List the global custom fields',
        querystring: ListQuery,
        response: { 200: pagedEnvelope(CustomField) }
      }
    },
    async ({ caller, query }) => pageOf(await globalFields(reader, caller.organizationId), query)
  )

  app.get(
    '/custom_fields/:id',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'Read a custom field',
        params: IdParams,
        response: { 200: envelope(CustomField) }
      }
    },
    async ({ caller, params }) => {
      const field = await fieldById(reader, caller.organizationId, params.id)
      if (!field) throw notFound(`custom field ${params.id}`)
      return ok(presentField(field))
    }
  )

  app.get(
    '/mailing_lists/:mailing_list_id/custom_fields/:id',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'Read a custom field of a list',
        params: FieldOfListParams,
        response: { 200: envelope(CustomField) }
      }
    },
    async ({ caller, params }) => {
      await mailingListById(reader, caller.organizationId, params.mailing_list_id)
      const fields = await fieldsOfList(reader, caller.organizationId, params.mailing_list_id)
      const field = fields.find(({ id }) => id === params.id)
      if (!field) throw notFound(`custom field ${params.id}`)
      return ok(presentField(field))
    }
  )

  app.post(
    '/mailing_lists/:mailing_list_id/custom_fields',
    {
      config: { access: 'custom_field.create' },
      schema: {
        tags,
        summary: 'Create a custom field of a list',
        params: MailingListParams,
        body: wrapped('custom_field', CustomFieldInput),
        response: { 200: envelope(CustomField) }
      }
    },
    async ({ caller, params, body }) =>
      ok(presentField(await create(caller.organizationId, params.mailing_list_id, body.custom_field)))
  )

  app.post(
    '/custom_fields',
    {
      config: { access: 'custom_field.create' },
      schema: {
        tags,
        summary: 'Create a global custom field',
        body: wrapped('custom_field', CustomFieldInput),
        response: { 200: envelope(CustomField) }
      }
    },
    async ({ caller, body }) => ok(presentField(await create(caller.organizationId, null, body.custom_field)))
  )

  app.put(
    '/mailing_lists/:mailing_list_id/custom_fields/:id',
    {
      config: { access: 'custom_field.update' },
      schema: {
        tags,
        summary: 'Change a custom field of a list',
        params: FieldOfListParams,
        body: wrapped('custom_field', CustomFieldChanges),
        response: { 200: envelope(CustomField) }
      }
    },
    async ({ caller, params, body }) =>
      ok(presentField(await update(caller, params.mailing_list_id, params.id, body.custom_field)))
  )

  app.put(
    '/custom_fields/:id',
    {
      config: { access: 'custom_field.update' },
      schema: {
        tags,
        summary: 'Change a custom field',
        params: IdParams,
        body: wrapped('custom_field', CustomFieldChanges),
        response: { 200: envelope(CustomField) }
      }
    },
    async ({ caller, params, body }) =>
      ok(presentField(await update(caller, null, params.id, body.custom_field)))
  )

  app.delete(
    '/mailing_lists/:mailing_list_id/custom_fields/:id',
    {
      config: { access: 'custom_field.delete' },
      schema: {
        tags,
        summary: 'Delete a custom field of a list',
        params: FieldOfListParams,
        response: { 200: envelope(Type.Null()) }
      }
    },
    async ({ caller, params }) => ok(await remove(caller, params.mailing_list_id, params.id))
  )

  app.delete(
    '/custom_fields/:id',
    {
      config: { access: 'custom_field.delete' },
      schema: {
        tags,
        summary: 'Delete a custom field',
        params: IdParams,
        response: { 200: envelope(Type.Null()) }
      }
    },
    async ({ caller, params }) => ok(await remove(caller, null, params.id))
  )

  app.post(
    '/custom_fields/promote',
    {
      config: { access: 'custom_field.update' },
      schema: {
        tags,
        summary: 'Make a custom field of one list global',
        body: wrapped('promote', Type.Object({ custom_field_id: Type.Integer() })),
        response: { 200: envelope(CustomField) }
      }
    },
    async ({ caller, body }) => {
      const { custom_field_id: id } = body.promote
      return ok(
        presentField(await writer.run('customFields.promote', { organizationId: caller.organizationId, id }))
      )
    }
  )

  app.get(
    '/mailing_lists/:mailing_list_id/custom_fields/deleted',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'List the deleted custom fields of a list',
        params: MailingListParams,
        response: { 200: envelope(Type.Array(DeletedCustomField)) }
      }
    },
    async ({ caller, params }) => {
      await mailingListById(reader, caller.organizationId, params.mailing_list_id)
      return ok(await deleted(caller, params.mailing_list_id))
    }
  )

  app.get(
    '/custom_fields/deleted',
    {
      config: { access: 'signed_in' },
      schema: {
        tags,
        summary: 'List the deleted global custom fields',
        response: { 200: envelope(Type.Array(DeletedCustomField)) }
      }
    },
    async ({ caller }) => ok(await deleted(caller, null))
  )

  async function update(
    { organizationId }: Caller,
    mailingListId: number | null,
    id: number,
    changes: CustomFieldChanges
  ): Promise<FieldDefinition> {
    const field = await fieldById(reader, organizationId, id)
    const lost = field ? lostValues(field, changes.field_type, changes.options) : null
    const unusedSince = field && lost !== null ? await lookForValues(field, lost) : null
    return writer.run('customFields.update', {
      organizationId,
      mailingListId,
      id,
      changes,
      ...(unusedSince !== null && { unusedSince })
    })
  }

  /** Looks at all subscribers who may have a value. @returns where the change log ended before; null when somebody has one */
  async function lookForValues(field: FieldDefinition, lost: LostValues): Promise<number | null> {
    const end = await endOfChangeLog(reader)
    const lists =
      field.mailingListId === null
        ? (await mailingListsOf(reader, field.organizationId)).map(({ id }) => id)
        : [field.mailingListId]
    return (await segments.isInUse(lists, field.id, lost)) ? null : end
  }

  async function remove({ organizationId }: Caller, mailingListId: number | null, id: number): Promise<null> {
    const field = await fieldById(reader, organizationId, id)
    const unusedSince = await endOfChangeLog(reader)
    if (field && isOfPath(field, mailingListId)) refuseWhileUsed(await segments.dependenciesOf(field))
    await writer.run('customFields.delete', { organizationId, mailingListId, id, unusedSince })
    return null
  }

  async function deleted(
    { organizationId, timeZone }: Caller,
    mailingListId: number | null
  ): Promise<DeletedCustomField[]> {
    const all = await deletedFields(reader, organizationId, mailingListId)
    return all.map(({ field, deletedAt }) => ({
      ...presentField(field),
      deleted_at: formatTime(deletedAt, timeZone)
    }))
  }

  function create(
    organizationId: number,
    mailingListId: number | null,
    field: CustomFieldInput
  ): Promise<FieldDefinition> {
    return writer.run('customFields.create', { organizationId, mailingListId, field })
  }
}

/** Filters, orders and cuts; a list has few fields, so this is done in memory. */
function pageOf(fields: FieldDefinition[], query: ListQuery) {
  const name = query.name?.toLowerCase()
  const part = query.name_contains?.toLowerCase()
  const matching = fields
    .filter((field) => name === undefined || field.name.toLowerCase() === name)
    .filter((field) => part === undefined || field.name.toLowerCase().includes(part))
  if (query.order_by === 'name') matching.sort((a, b) => a.name.localeCompare(b.name, 'en'))
  const start = query.page * query.per_page
  return okPage(matching.slice(start, start + query.per_page).map(presentField), query, matching.length)
}
