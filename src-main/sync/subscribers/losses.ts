import { refusal } from '../../base/refusal.ts'
import { isMassive } from '../mass-change.ts'
import { Question } from '../question.ts'
import { answerFor } from '../run-context.ts'
import type { ListRun, Meeting } from './list-run.ts'
import { mergePeople } from './merge-people.ts'
import { type Person, slots } from './person.ts'

/**
 * Collects what the remote would take away here: missing subscribers, and those who lost a value or are no
 * longer active. Nothing is changed until all are compared: above a limit the user is asked first.
 */
export class Losses {
  readonly #listRun: ListRun
  readonly #linked: number
  /** Subscribers who are missing there: their ids here, and those that they had there. */
  readonly gone: { localId: number; theirId: number }[] = []
  /** Ids here of subscribers who lose a value, or their place among the active ones. */
  readonly changed: number[] = []

  constructor(listRun: ListRun, linked: number) {
    this.#listRun = listRun
    this.#linked = linked
  }

  gather({ local, agreed, theirs }: Meeting): boolean {
    if (!local || !theirs || !agreed) return false
    const { run, decisions } = this.#listRun
    const decided = decisions.get(local.id)
    const merged = mergePeople(local.person, theirs.person, agreed.hashes, run.rules, decided)
    if (!merged.local || !losesSomething(local.person, merged.local)) return false
    this.changed.push(local.id)
    return true
  }

  /**
   * Throws a Question if the remote deleted or blanked so many subscribers that it may be a mistake.
   * @param total size of the remote's list before the scan ended; null = the scan is complete
   * @throws Question
   */
  ask(total: number | null = null): void {
    const { run, list } = this.#listRun
    const known = { count: this.#linked, name: list.name }
    const gone = Math.max(this.gone.length, total === null ? 0 : this.#linked - total)
    if (answerFor(run, 'gone', list.id) === null && isMassive(gone, this.#linked)) {
      throw new Question('gone', refusal('subscribers_gone', { gone, ...known }), list.id)
    }
    const changed = this.changed.length
    if (answerFor(run, 'changed', list.id) === null && isMassive(changed, this.#linked)) {
      throw new Question('changed', refusal('subscribers_changed', { changed, ...known }), list.id)
    }
  }
}

/** True if a value is blank afterwards, or a subscriber is not active any more. */
function losesSomething(before: Person, after: Person): boolean {
  if (before.get(slots.status) === 'active' && after.get(slots.status) !== 'active') return true
  return [...before.keys()].some((slot) => !after.has(slot))
}

/** Makes the local values win for subscribers whose remote values the user called a mistake. */
export function preferLocalValues({ decisions, common }: ListRun, localIds: readonly number[]): void {
  for (const id of localIds) decisions.set(id, new Map(common.slots.map((slot) => [slot, 'local'])))
}
