import { ApiFailure, RecordVersion } from '../../api/client.ts'
import { changedMembers, type EditConflict, mergeEdits, type Path } from '../../model/merge-edits.ts'

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

/**
 * Saves only what the user changed and keeps the changes of others.
 * @param base the form's initial state
 * @param mine its current state
 * @param decide resolves conflicts in the merged state; null = the user went back to the form
 * @returns the stored state; null if the user went back, undefined if others changed the record at each attempt
 */
export async function saveEdit<State>(
  base: State,
  mine: State,
  record: EditedRecord<State>,
  decide: (state: State, conflicts: EditConflict[]) => Promise<State | null>
): Promise<State | null | undefined> {
  let [from, wanted] = [base, mine]
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const version = new RecordVersion()
    const stored = await record.read(version)
    const { state, conflicts } = mergeEdits(from, wanted, stored)
    const decided = conflicts.length === 0 ? state : await decide(state, conflicts)
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
  return undefined
}
