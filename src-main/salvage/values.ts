import type { Database } from 'better-sqlite3'
import type { CustomFieldType } from '../api/custom-fields/schema.ts'
import type { LossList } from './losses.ts'

interface UnknownField {
  id: number
  /** As JSON functions of SQLite call it. */
  type: string
  list: number
  lists: number
}

const typeOfValues: Record<string, CustomFieldType> = {
  text: 'text_multiline',
  integer: 'number',
  real: 'number',
  true: 'boolean',
  false: 'boolean',
  array: 'select_multiple_checkboxes'
}

/** Recreates lost custom fields of values, and names for lost options. */
export function repairFields(database: Database, losses: LossList): void {
  blankUnreadable(database, losses)
  for (const { id, type, list, lists } of unknownFields(database)) {
    const name = `Recovered field ${id}`
    const { changes } = database
      .prepare(
        `INSERT INTO custom_fields (id, organization_id, mailing_list_id, name, name_key, field_type, created_at, updated_at)
         SELECT @id, organization_id, iif(@lists > 1, NULL, id), @name, lower(@name),
           -- Numbers of a field with options are those of options.
           iif(@type = 'number' AND EXISTS (SELECT 1 FROM custom_field_options WHERE custom_field_id = @id),
             'select_single_dropdown', @type),
           unixepoch() * 1000, unixepoch() * 1000
         FROM mailing_lists WHERE id = @list
         ON CONFLICT DO NOTHING`
      )
      .run({ id, name, list, lists, type: typeOfValues[type] ?? 'text_multiline' })
    if (changes > 0) losses.add('replaced', 'custom_fields', id, name)
  }
  for (const { field, option } of unknownOptions(database)) {
    const name = `Recovered option ${option}`
    database
      .prepare(
        'INSERT INTO custom_field_options (id, custom_field_id, name, position) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'
      )
      .run(option, field, name, option)
    losses.add('replaced', 'custom_field_options', option, name)
  }
}

/** Clears values that are not valid JSON, which may also come from pages without a stored checksum. */
function blankUnreadable(database: Database, losses: LossList): void {
  const blanked = database
    .prepare<[], { id: number; email: string }>(
      `UPDATE subscribers SET custom_fields = '{}'
       WHERE iif(json_valid(custom_fields), json_type(custom_fields), '') <> 'object' RETURNING id, email`
    )
    .all()
  for (const { id, email } of blanked) losses.add('doubtful', 'subscribers', id, email)
}

function unknownFields(database: Database): UnknownField[] {
  return database
    .prepare<[], UnknownField>(
      `SELECT CAST(value.key AS INTEGER) AS id, value.type AS type, min(mailing_list_id) AS list,
         count(DISTINCT mailing_list_id) AS lists
       FROM subscribers, json_each(custom_fields) AS value
       WHERE CAST(value.key AS INTEGER) BETWEEN 1 AND ${Number.MAX_SAFE_INTEGER}
         AND NOT EXISTS (SELECT 1 FROM custom_fields WHERE custom_fields.id = CAST(value.key AS INTEGER))
       GROUP BY value.key, value.type ORDER BY count(*) DESC`
    )
    .all()
}

function unknownOptions(database: Database): { field: number; option: number }[] {
  return database
    .prepare<[], { field: number; option: number }>(
      `SELECT DISTINCT custom_fields.id AS field, chosen.value AS option
       FROM subscribers, json_each(custom_fields) AS value
       JOIN custom_fields ON custom_fields.id = CAST(value.key AS INTEGER) AND field_type LIKE 'select%',
       json_each(iif(value.type = 'array', value.value, json_array(value.value))) AS chosen
       WHERE chosen.type = 'integer' AND chosen.value BETWEEN 1 AND ${Number.MAX_SAFE_INTEGER}
         AND NOT EXISTS (SELECT 1 FROM custom_field_options WHERE custom_field_options.id = chosen.value)`
    )
    .all()
}
