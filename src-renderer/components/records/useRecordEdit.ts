import { useOverlay } from '@nuxt/ui/composables'
import { useI18n } from 'vue-i18n'
import { fieldLabelOf } from '../../api/sentence.ts'
import { formatNumber } from '../../format.ts'
import { type EditConflict, withValue } from '../../model/merge-edits.ts'
import ConflictDialog from './ConflictDialog.vue'
import { type EditedRecord, saveEdit } from './save-edit.ts'

/** Must be called in setup. */
export function useRecordEdit() {
  const { t } = useI18n()
  const overlay = useOverlay()

  /**
   * Saves an edit (saveEdit). If the user and others changed the same value, asks the user.
   * @returns the stored state; null if the user went back to the form
   */
  async function saveRecord<State>(
    base: State,
    mine: State,
    record: EditedRecord<State>
  ): Promise<State | null> {
    const saved = await saveEdit(base, mine, record, (state, conflicts) => decide(state, conflicts, record))
    if (saved === undefined) throw new Error(t('conflict.busy'))
    return saved
  }

  async function decide<State>(
    state: State,
    conflicts: EditConflict[],
    record: EditedRecord<State>
  ): Promise<State | null> {
    const questions = conflicts.map(({ path, mine, theirs }) => ({
      label: record.label?.(path) ?? fieldLabelOf(path.join('.')),
      mine: record.text?.(path, mine) ?? textOf(mine),
      theirs: record.text?.(path, theirs) ?? textOf(theirs)
    }))
    const dialog = overlay.create(ConflictDialog, { destroyOnClose: true })
    const answers = (await dialog.open({ questions })) as ('mine' | 'theirs')[] | null
    if (!answers) return null
    return conflicts.reduce(
      (decided, { path, theirs }, index) =>
        answers[index] === 'theirs' ? withValue(decided, path, theirs) : decided,
      state
    )
  }

  function textOf(value: unknown): string {
    if (value === null || value === undefined || value === '') return t('history.blank')
    if (typeof value === 'boolean') return t(value ? 'common.yes' : 'common.no')
    if (typeof value === 'number') return formatNumber(value)
    if (typeof value === 'string') return value
    if (!Array.isArray(value)) return JSON.stringify(value)
    if (value.length === 0) return t('history.blank')
    return value.map((item: unknown) => textOf(nameOf(item) ?? item)).join(', ')
  }

  return saveRecord
}

/** The name of a record; undefined for what has none. */
function nameOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'name' in item ? item.name : undefined
}
