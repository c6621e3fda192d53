import { useOverlay } from '@nuxt/ui/composables'
import { useI18n } from 'vue-i18n'
import { ApiFailure, RecordVersion } from '../../api/client.ts'
import { fieldLabelOf } from '../../api/sentence.ts'
import ConflictDialog from './ConflictDialog.vue'
import {
  changedMembers,
  type EditConflict,
  mergeEdits,
  type Path,
  withValue
} from '../../model/merge-edits.ts'
import { formatNumber } from '../../format.ts'

export interface EditedRecord<State> {
  /** Reads the record, as the form shows it. */
  read: (version: RecordVersion) => Promise<State>
  /** Writes the difference between `stored` and `wanted`. @throws ApiFailure conflict if the record has another version by then */
  write: (stored: State, wanted: State, version: RecordVersion) => Promise<unknown>
  /** The label of a value; undefined = the API's name. */
  label?: ((path: Path) => string | undefined) | undefined
  /** The text of a value; undefined = unformatted. */
  text?: ((path: Path, value: unknown) => string | undefined) | undefined
}

/**
 * Writes only differences.
 * @param input converts the form to a request
 * @param write receives the differences, and everything
 * @param dependents properties that `input` may leave out; their changes are stored anyway
 */
export function writeChanges<State, Input extends object>(
  input: (state: State) => Input,
  write: (changes: Partial<Input>, version: RecordVersion, all: Input) => Promise<unknown>,
  dependents: (state: State) => Partial<Input> = () => ({})
): EditedRecord<State>['write'] {
  return async (stored, wanted, version) => {
    const all = input(wanted)
    const changes = {
      ...changedMembers(input(stored), all),
      ...changedMembers(dependents(stored), dependents(wanted))
    }
    if (Object.keys(changes).length > 0) await write(changes, version, all)
  }
}

const maxAttempts = 10

/** Must be called in setup. */
export function useRecordEdit() {
  const { t } = useI18n()
  const overlay = useOverlay()

  /**
   * Saves only what the user changed and keeps the changes of others. If both changed the same value, asks
   * the user.
   * @param base the form's initial state
   * @param mine its current state
   * @returns the stored state; null if the user went back to the form
   */
  async function saveEdit<State>(
    base: State,
    mine: State,
    record: EditedRecord<State>
  ): Promise<State | null> {
    let [from, wanted] = [base, mine]
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const version = new RecordVersion()
      const stored = await record.read(version)
      const { state, conflicts } = mergeEdits(from, wanted, stored)
      const decided = await decide(state, conflicts, record)
      if (decided === null) return null
      try {
        await record.write(stored, decided, version)
        return decided
      } catch (error) {
        if (!(error instanceof ApiFailure && error.code === 'conflict')) throw error
      }
      // The decisions become the new base, so that none is asked again.
      ;[from, wanted] = [stored, decided]
    }
    throw new Error(t('conflict.busy'))
  }

  async function decide<State>(
    state: State,
    conflicts: EditConflict[],
    record: EditedRecord<State>
  ): Promise<State | null> {
    if (conflicts.length === 0) return state
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

  return saveEdit
}

/** The name of a record; undefined for what has none. */
function nameOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'name' in item ? item.name : undefined
}
