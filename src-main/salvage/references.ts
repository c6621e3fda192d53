import type { Database, RunResult } from 'better-sqlite3'
import type { LossList } from './losses.ts'

type Placeholder = (database: Database, id: number) => RunResult

const now = 'unixepoch() * 1000'
const anyOrganization = 'coalesce((SELECT min(id) FROM organizations), 1)'

const placeholders: Record<string, Placeholder> = {
  organizations: (database, id) =>
    database
      .prepare(
        `INSERT INTO organizations (id, name, time_zone_name, created_at, updated_at) VALUES (?, ?, 'UTC', ${now}, ${now})`
      )
      .run(id, id === 1 ? 'System Organization' : `Recovered organization ${id}`),
  users: (database, id) =>
    database
      .prepare(
        `INSERT INTO users (id, organization_id, full_name, full_name_key, email, email_key, active, role, created_at, updated_at)
         VALUES (?, ${anyOrganization}, ?, ?, ?, ?, 0, 'standard', ${now}, ${now})`
      )
      .run(
        id,
        `Recovered user ${id}`,
        `recovered user ${id}`,
        `user${id}@recovered.invalid`,
        `user${id}@recovered.invalid`
      ),
  mailing_lists: (database, id) =>
    database
      .prepare(
        `INSERT INTO mailing_lists (id, organization_id, name, has_format, has_confirmed, created_at, updated_at)
         VALUES (@id, ${anyOrganization}, @name,
           EXISTS (SELECT 1 FROM subscribers WHERE mailing_list_id = @id AND email_format IS NOT NULL),
           EXISTS (SELECT 1 FROM subscribers WHERE mailing_list_id = @id AND confirmed IS NOT NULL), ${now}, ${now})`
      )
      .run({ id, name: `Recovered list ${id}` }),
  // The recovered segment matches no one: its conditions are lost, and matching everyone would be worse.
  segments: (database, id) =>
    database
      .prepare(
        `INSERT INTO segments (id, mailing_list_id, name, name_key, clause, created_at, updated_at)
         VALUES (@id, coalesce((SELECT mailing_list_id FROM campaigns WHERE segment_id = @id),
           (SELECT mailing_list_id FROM autoresponders WHERE segmentation_criteria_id = @id)),
           @name, lower(@name), @clause, ${now}, ${now})`
      )
      .run({
        id,
        name: `Recovered segment ${id}`,
        clause: JSON.stringify([{ type: 'status', operator: 'is one of', statuses: [] }])
      }),
  // The recovered list applies to all mailing lists: a suppressed address must get no message.
  suppression_lists: (database, id) =>
    database
      .prepare(
        `INSERT INTO suppression_lists (id, organization_id, name, name_key, created_at, updated_at)
         VALUES (?, ${anyOrganization}, ?, ?, ${now}, ${now})`
      )
      .run(id, `Recovered suppression list ${id}`, `recovered suppression list ${id}`),
  // A custom field that is the primary key of a list.
  custom_fields: (database, id) =>
    database
      .prepare(
        `INSERT INTO custom_fields (id, organization_id, mailing_list_id, name, name_key, field_type, created_at, updated_at)
         SELECT @id, organization_id, id, @name, lower(@name), 'text', ${now}, ${now}
         FROM mailing_lists WHERE primary_key_custom_field_id = @id LIMIT 1`
      )
      .run({ id, name: `Recovered field ${id}` })
}

interface Reference {
  table: string
  column: string
  parent: string
  key: string
  isNullable: boolean
  isKept: boolean
}

/**
 * Repairs references to lost records: a placeholder takes their place, or the referring record is deleted.
 * @param parents the tables of lost records; default: all
 */
export function repairReferences(database: Database, losses: LossList, parents?: readonly string[]): void {
  const references = referencesOf(database).filter(({ parent }) => parents?.includes(parent) ?? true)
  // Repeated, since a removed or recovered row may be referred to by other rows.
  for (let isChanged = true; isChanged;) {
    isChanged = false
    for (const reference of references) if (repair(database, losses, reference)) isChanged = true
  }
}

function repair(database: Database, losses: LossList, reference: Reference): boolean {
  const { table, column, parent, key, isNullable, isKept } = reference
  const missing = database
    .prepare<[], number>(
      `SELECT DISTINCT "${column}" FROM "${table}" AS child WHERE "${column}" IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM "${parent}" AS parent WHERE parent."${key}" = child."${column}")`
    )
    .pluck()
    .all()
  for (const id of missing) {
    const isNeeded = isKept && (!isNullable || neededOptions.has(`${table}.${column}`))
    const placed = isNeeded ? placeholders[parent]?.(database, id).changes : 0
    if (placed) {
      losses.add('replaced', parent, id)
    } else {
      if (isNullable) {
        // Rows that must have the reference violate a CHECK, stay unchanged here, and are deleted below.
        database.prepare(`UPDATE OR IGNORE "${table}" SET "${column}" = NULL WHERE "${column}" = ?`).run(id)
      }
      const { changes } = database.prepare(`DELETE FROM "${table}" WHERE "${column}" = ?`).run(id)
      for (let removed = 0; removed < changes; removed++) losses.add('removed', table, null)
    }
  }
  return missing.length > 0
}

/** Options whose absence has a meaning of its own: all subscribers, or another key. */
const neededOptions = new Set([
  'campaigns.segment_id',
  'autoresponders.segmentation_criteria_id',
  'mailing_lists.primary_key_custom_field_id',
  'custom_fields.mailing_list_id',
  'suppression_lists.mailing_list_id'
])

function referencesOf(database: Database): Reference[] {
  const tables = database
    .prepare<[], string>("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
    .pluck()
    .all()
  return tables.flatMap((table) => {
    const columns = database.pragma(`table_info("${table}")`) as {
      name: string
      notnull: number
      pk: number
    }[]
    const keys = database.pragma(`foreign_key_list("${table}")`) as {
      table: string
      from: string
      to: string | null
      on_delete: string
    }[]
    return keys.map(({ table: parent, from, to, on_delete }): Reference => {
      const column = columns.find(({ name }) => name === from)
      return {
        table,
        column: from,
        parent,
        key: to ?? 'id',
        isNullable: column?.notnull === 0 && column.pk === 0,
        // Suppressed addresses are kept without their list: they must get no messages.
        isKept: on_delete === 'NO ACTION' || table === 'suppressed_addresses'
      }
    })
  })
}
