import type { BulkActionRow } from '../../api/bulk-actions/queries.ts'
import type { BulkActionSettings } from '../../api/bulk-actions/rules.ts'
import { fieldsOfList } from '../../api/custom-fields/queries.ts'
import {
  type FieldDefinition,
  meaningfulValues,
  type StoredValue,
  type StoredValues
} from '../../api/custom-fields/rules.ts'
import { mailingListById } from '../../api/mailing-lists/queries.ts'
import { recordSubscribers } from '../../api/subscribers/record-changes.ts'
import { validationFailed } from '../../base/errors.ts'
import type { CommandContext } from '../../database/command.ts'
import { subscribersWithIds, untouchedSince } from '../subscribers.ts'
import type { BulkWork } from '../work.ts'

/** A subscriber, the value that it had (null = none), and since when it had been as it was. */
type FieldNote = [id: number, value: StoredValue | null, updatedAt: number]

type Settings = Extract<BulkActionSettings, { kind: 'set_field' }>

/**
 * Gives subscribers a value of one custom field.
 * @throws ApiError validation_failed when the field was deleted
 */
export async function settingField(
  context: CommandContext,
  action: BulkActionRow,
  settings: Settings
): Promise<BulkWork> {
  const listId = action.mailing_list_id
  const fields = await fieldsOfList(context.db, action.organization_id, listId)
  const field = fields.find(({ id }) => id === settings.custom_field_id)
  if (!field) throw validationFailed(`the custom field ${settings.name} was deleted`)
  const { primary_key_custom_field_id: keyFieldId } = await mailingListById(
    context.db,
    action.organization_id,
    listId
  )
  const update = context.sqlite.prepare<[string, number, number]>(
    'UPDATE subscribers SET custom_fields = ?, updated_at = ? WHERE id = ?'
  )

  function write(id: number, values: StoredValues, value: StoredValue | null, updatedAt: number): void {
    const after = { ...values }
    if (value === null) Reflect.deleteProperty(after, String(field?.id))
    else after[String(field?.id)] = value
    update.run(JSON.stringify(after), updatedAt, id)
  }

  return {
    async apply(ids) {
      const notes: FieldNote[] = []
      let same = 0
      for (const row of await subscribersWithIds(context, listId, ids)) {
        const values = JSON.parse(row.custom_fields) as StoredValues
        const before = values[field.id] ?? null
        const after = valueAfter(before, settings)
        if (JSON.stringify(before) === JSON.stringify(after)) {
          same++
          continue
        }
        write(row.id, values, after, context.now)
        notes.push([row.id, before, row.updated_at])
      }
      const changed = notes.map(([id]) => id)
      recordSubscribers(context, action, 'update', changed)
      return { notes, same, kept: [] }
    },

    async takeBack(notes, writtenAt) {
      const former = new Map((notes as unknown as FieldNote[]).map((note) => [note[0], note]))
      const { rows, kept } = await untouchedSince(context, listId, [...former.keys()], writtenAt)
      if (field.id === keyFieldId) {
        // To change a key is not for this: another subscriber may have it by now.
        const others = rows.map(({ id, email }) => ({ id, email, reason: 'key_taken' as const }))
        return { restored: 0, kept: [...kept, ...others] }
      }
      for (const row of rows) {
        const [, value, updatedAt] = former.get(row.id) ?? [row.id, null, row.updated_at]
        write(row.id, JSON.parse(row.custom_fields) as StoredValues, meaningOf(field, value), updatedAt)
      }
      recordSubscribers(
        context,
        action,
        'update',
        rows.map(({ id }) => id)
      )
      return { restored: rows.length, kept }
    },

    finish: () => Promise.resolve()
  }
}

/** The value of a field after an action; of several options, in the order in which they were chosen. */
function valueAfter(before: StoredValue | null, { mode, value }: Settings): StoredValue | null {
  if (mode === 'set' || !Array.isArray(value)) return value
  const selected = Array.isArray(before) ? before : []
  const after =
    mode === 'add' ? [...new Set([...selected, ...value])] : selected.filter((id) => !value.includes(id))
  return after.length > 0 ? after : null
}

/** A former value without what means nothing any more, such as an option that was deleted. */
function meaningOf(field: FieldDefinition, value: StoredValue | null): StoredValue | null {
  if (value === null) return null
  return meaningfulValues([field], { [field.id]: value })[field.id] ?? null
}
