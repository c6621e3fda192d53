import { notFound } from '../../base/errors.ts'
import { formatTime } from '../../base/times.ts'
import type { Caller } from '../../http/caller.ts'
import { ok, okPage } from '../../http/envelope.ts'
import { mailingListById, mailingListsOf } from '../mailing-lists/queries.ts'
import { deletedFields, fieldById, fieldsOfList, globalFields, presentField } from './queries.ts'
import type { FieldDefinition } from './rules.ts'
import { CustomFieldChanges, CustomFieldInput, DeletedCustomField } from './schema.ts'
import { isOfPath, lostValues, refuseWhileUsed } from './commands.ts'
import { endOfChangeLog, type LostValues } from './values-in-use.ts'
import { customFieldEndpoints, ListQuery } from './endpoints.ts'
import { serveEndpoints } from '../../http/serve.ts'

export const customFieldRoutes = serveEndpoints(customFieldEndpoints, ({ reader, writer, segments }) => {
  return {
    'GET /mailing_lists/:mailing_list_id/custom_fields': async ({ caller, params, query }) => {
      await mailingListById(reader, caller.organizationId, params.mailing_list_id)
      return pageOf(await fieldsOfList(reader, caller.organizationId, params.mailing_list_id), query)
    },

    'GET /custom_fields': async ({ caller, query }) =>
      pageOf(await globalFields(reader, caller.organizationId), query),

    'GET /custom_fields/:id': async ({ caller, params }) => {
      const field = await fieldById(reader, caller.organizationId, params.id)
      if (!field) throw notFound('custom field', params.id)
      return ok(presentField(field))
    },

    'GET /mailing_lists/:mailing_list_id/custom_fields/:id': async ({ caller, params }) => {
      await mailingListById(reader, caller.organizationId, params.mailing_list_id)
      const fields = await fieldsOfList(reader, caller.organizationId, params.mailing_list_id)
      const field = fields.find(({ id }) => id === params.id)
      if (!field) throw notFound('custom field', params.id)
      return ok(presentField(field))
    },

    'POST /mailing_lists/:mailing_list_id/custom_fields': async ({ caller, params, body }) =>
      ok(presentField(await create(caller.organizationId, params.mailing_list_id, body.custom_field))),

    'POST /custom_fields': async ({ caller, body }) =>
      ok(presentField(await create(caller.organizationId, null, body.custom_field))),

    'PUT /mailing_lists/:mailing_list_id/custom_fields/:id': async ({ caller, params, body }) =>
      ok(presentField(await update(caller, params.mailing_list_id, params.id, body.custom_field))),

    'PUT /custom_fields/:id': async ({ caller, params, body }) =>
      ok(presentField(await update(caller, null, params.id, body.custom_field))),

    'DELETE /mailing_lists/:mailing_list_id/custom_fields/:id': async ({ caller, params }) =>
      ok(await remove(caller, params.mailing_list_id, params.id)),

    'DELETE /custom_fields/:id': async ({ caller, params }) => ok(await remove(caller, null, params.id)),

    'POST /custom_fields/promote': async ({ caller, body }) => {
      const { custom_field_id: id } = body.promote
      return ok(
        presentField(await writer.run('customFields.promote', { organizationId: caller.organizationId, id }))
      )
    },

    'GET /mailing_lists/:mailing_list_id/custom_fields/deleted': async ({ caller, params }) => {
      await mailingListById(reader, caller.organizationId, params.mailing_list_id)
      return ok(await deleted(caller, params.mailing_list_id))
    },

    'GET /custom_fields/deleted': async ({ caller }) => ok(await deleted(caller, null))
  }

  async function update(
    { organizationId }: Caller,
    mailingListId: number | null,
    id: number,
    changes: CustomFieldChanges
  ): Promise<FieldDefinition> {
    const field = await fieldById(reader, organizationId, id)
    const lost = field ? lostValues(field, changes.field_type, changes.options) : null
    const unusedSince = field && lost !== null ? await scanForValues(field, lost) : null
    return writer.run('customFields.update', {
      organizationId,
      mailingListId,
      id,
      changes,
      ...(unusedSince !== null && { unusedSince })
    })
  }

  /**
   * Scans all subscribers for a value.
   * @returns the end of the change log before the scan; null if a subscriber has it
   */
  async function scanForValues(field: FieldDefinition, lost: LostValues): Promise<number | null> {
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
})

/** Filters, sorts and pages in memory, since a list has few fields. */
function pageOf(fields: readonly FieldDefinition[], query: ListQuery) {
  const name = query.name?.toLowerCase()
  const part = query.name_contains?.toLowerCase()
  const matching = fields
    .filter((field) => name === undefined || field.name.toLowerCase() === name)
    .filter((field) => part === undefined || field.name.toLowerCase().includes(part))
  if (query.order_by === 'name') matching.sort((a, b) => a.name.localeCompare(b.name, 'en'))
  const start = query.page * query.per_page
  return okPage(matching.slice(start, start + query.per_page).map(presentField), query, matching.length)
}
