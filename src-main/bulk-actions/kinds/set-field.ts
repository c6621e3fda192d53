import type { BulkActionRow } from '../../api/bulk-actions/queries.ts'
import type { BulkActionSettings } from '../../api/bulk-actions/rules.ts'
import { fieldsOfList } from '../../api/custom-fields/queries.ts'
import {
  type FieldDefinition,
  presentValue,
  readRequiredValue,
  type StoredValue,
  type StoredValues,
  ValueFault
} from '../../api/custom-fields/rules.ts'
import { mailingListById } from '../../api/mailing-lists/queries.ts'
import { recordSubscribers } from '../../api/subscribers/record-changes.ts'
import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import type { CommandContext } from '../../database/command.ts'
import { subscribersWithIds, untouchedSince } from '../subscribers.ts'
import { type BulkWork, type Kept, notesOf } from '../work.ts'

/** A subscriber's id, its value (null = none) and its updated_at before the change. */
type FieldNote = [id: number, value: StoredValue | null, updatedAt: number]

type Settings = Extract<BulkActionSettings, { kind: 'set_field' }>

/**
 * Sets a custom field of subscribers.
 * @throws ApiError validation_failed if the field was deleted or no longer accepts the value
 */
export async function settingField(
  context: CommandContext,
  action: BulkActionRow,
  settings: Settings
): Promise<BulkWork<FieldNote>> {
  const listId = action.mailing_list_id
  const fields = await fieldsOfList(context.db, action.organization_id, listId)
  const field = fields.find(({ id }) => id === settings.custom_field_id)
  if (!field) throw validationFailed(refusal('field_deleted', { name: settings.name }))
  const { primary_key_custom_field_id: keyFieldId } = await mailingListById(
    context.db,
    action.organization_id,
    listId
  )
  if (action.state === 'running') refuseIfOutdated(field, settings, keyFieldId)
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
        if (isSame(before, after)) {
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
      const former = new Map(notes.map((note) => [note[0], note]))
      const { rows, kept } = await untouchedSince(context, listId, [...former.keys()], writtenAt)
      if (field.id === keyFieldId) {
        // Primary keys are not changed here: another subscriber may have the former key by now.
        const others = rows.map(({ id, email }): Kept => ({ id, email, reason: 'key_changed' }))
        const all = [...kept, ...others]
        return { restored: 0, kept: all, left: notesOf(notes, all) }
      }
      const restored: number[] = []
      for (const row of rows) {
        const [id, value, updatedAt] = former.get(row.id) ?? [row.id, null, row.updated_at]
        if (!isTaken(field, value)) {
          kept.push({ id, email: row.email, reason: 'value_gone', detail: field.name })
          continue
        }
        write(id, JSON.parse(row.custom_fields) as StoredValues, value, updatedAt)
        restored.push(id)
      }
      recordSubscribers(context, action, 'update', restored)
      return { restored: restored.length, kept, left: notesOf(notes, kept) }
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

/** True if two values are equal; the order of options does not matter. */
function isSame(a: StoredValue | null, b: StoredValue | null): boolean {
  const inOrder = (value: StoredValue | null): unknown => (Array.isArray(value) ? value.toSorted() : value)
  return JSON.stringify(inOrder(a)) === JSON.stringify(inOrder(b))
}

function isTaken(field: FieldDefinition, value: StoredValue | null): boolean {
  const read = readRequiredValue(field, value === null ? null : presentValue(field, value), 'mdy')
  return !(read instanceof ValueFault) && isSame(read, value)
}

/** @throws ApiError validation_failed when the field has changed since the action was asked for */
function refuseIfOutdated(
  field: FieldDefinition,
  { mode, value }: Settings,
  keyFieldId: number | null
): void {
  if (field.id === keyFieldId) {
    throw validationFailed(refusal('field_became_key', { name: field.name }))
  }
  if (mode === 'remove' || isTaken(field, value)) return
  throw validationFailed(refusal('field_changed', { name: field.name }))
}
