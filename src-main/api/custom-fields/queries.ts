import type { Kysely, Selectable } from 'kysely'
import type { CustomFieldOptionsTable, CustomFieldsTable } from './tables.ts'
import { remembered } from '../../database/remembered.ts'
import type { Schema } from '../../database/schema.ts'
import { type FieldDefinition, hasOptions } from './rules.ts'
import type { CustomField, TypedAttributes } from './schema.ts'
import { compiledQuery } from '../../database/compiled-query.ts'

const rowsOfList = compiledQuery<
  { organizationId: number; mailingListId: number },
  Selectable<CustomFieldsTable>
>((db, value) =>
  db
    .selectFrom('custom_fields')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where('mailing_list_id', '=', value('mailingListId'))
    .unionAll(
      db
        .selectFrom('custom_fields')
        .selectAll()
        .where('deleted_at', 'is', null)
        .where('mailing_list_id', 'is', null)
        .where('organization_id', '=', value('organizationId'))
    )
)

export function fieldsOfList(
  db: Kysely<Schema>,
  organizationId: number,
  mailingListId: number
): Promise<readonly FieldDefinition[]> {
  return remembered(db, `fields ${organizationId} ${mailingListId}`, () =>
    readFieldsOfList(db, organizationId, mailingListId)
  )
}

async function readFieldsOfList(
  db: Kysely<Schema>,
  organizationId: number,
  mailingListId: number
): Promise<FieldDefinition[]> {
  const rows = await rowsOfList(db, { organizationId, mailingListId })
  rows.sort((a, b) => a.id - b.id)
  return withOptions(db, rows)
}

export async function globalFields(db: Kysely<Schema>, organizationId: number): Promise<FieldDefinition[]> {
  const rows = await db
    .selectFrom('custom_fields')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where('mailing_list_id', 'is', null)
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
  return withOptions(db, rows)
}

/** Finds a field of the organization that is not deleted. */
export async function fieldById(
  db: Kysely<Schema>,
  organizationId: number,
  id: number
): Promise<FieldDefinition | undefined> {
  const row = await db
    .selectFrom('custom_fields')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row && (await withOptions(db, [row]))[0]
}

/**
 * Returns the deleted fields of a list, or with null the global ones, by id, each with its deletion time in
 * UNIX milliseconds.
 */
export async function deletedFields(
  db: Kysely<Schema>,
  organizationId: number,
  mailingListId: number | null
): Promise<{ field: FieldDefinition; deletedAt: number }[]> {
  const rows = await db
    .selectFrom('custom_fields')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('mailing_list_id', mailingListId === null ? 'is' : '=', mailingListId)
    .where('deleted_at', 'is not', null)
    .orderBy('id')
    .execute()
  const fields = await withOptions(db, rows)
  return fields.map((field, index) => ({ field, deletedAt: rows[index]?.deleted_at ?? 0 }))
}

/** Returns the fields of this name on existing lists of the organization and global ones. */
export async function fieldsNamed(
  db: Kysely<Schema>,
  organizationId: number,
  name: string
): Promise<{ id: number; mailing_list_id: number | null }[]> {
  return db
    .selectFrom('custom_fields')
    .leftJoin('mailing_lists', 'mailing_lists.id', 'custom_fields.mailing_list_id')
    .select(['custom_fields.id', 'custom_fields.mailing_list_id'])
    .where('custom_fields.organization_id', '=', organizationId)
    .where('name_key', '=', name.trim().toLowerCase())
    .where('custom_fields.deleted_at', 'is', null)
    .where('mailing_lists.deleted_at', 'is', null)
    .execute()
}

async function withOptions(
  db: Kysely<Schema>,
  rows: Selectable<CustomFieldsTable>[]
): Promise<FieldDefinition[]> {
  const ids = rows.filter((row) => hasOptions(row.field_type)).map((row) => row.id)
  const options =
    ids.length === 0
      ? []
      : await db
          .selectFrom('custom_field_options')
          .selectAll()
          .where('custom_field_id', 'in', ids)
          .orderBy('custom_field_id')
          .orderBy('position')
          .execute()
  return rows.map((row) => definitionOf(row, options))
}

function definitionOf(
  row: Selectable<CustomFieldsTable>,
  options: Selectable<CustomFieldOptionsTable>[]
): FieldDefinition {
  return {
    id: row.id,
    organizationId: row.organization_id,
    mailingListId: row.mailing_list_id,
    name: row.name,
    type: row.field_type,
    required: row.required === 1,
    instructions: row.instructions,
    attributes: JSON.parse(row.attributes) as TypedAttributes,
    options: options
      .filter((option) => option.custom_field_id === row.id)
      .map(({ id, name, position }) => ({ id, name, position }))
  }
}

/** A field as the API answers it (docs/api.md, "Custom fields"). */
export function presentField(field: FieldDefinition): CustomField {
  return {
    id: field.id,
    is_global: field.mailingListId === null,
    mailing_list_id: field.mailingListId,
    name: field.name,
    field_type: field.type,
    required: field.required,
    instructions: field.instructions,
    ...field.attributes,
    ...(hasOptions(field.type) && {
      options: field.options.map(({ id, name, position }) => ({ id, name, index: position }))
    })
  }
}
