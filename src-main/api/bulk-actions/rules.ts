import { type Refusal, refusal } from '../../base/refusal.ts'
import type { ChangeVia } from '../../database/origin.ts'
import type { ChangeLogTable } from '../../database/schema.ts'
import { hasOptions, type StoredValue } from '../custom-fields/rules.ts'
import type { CustomFieldType } from '../custom-fields/schema.ts'
import type { SubscriberStatus } from '../subscribers/schema.ts'
import type { FieldMode } from './schema.ts'

/** How long an action can be undone. */
export const undoDays = 7
/** The same in milliseconds. */
export const undoTime = undoDays * 24 * 60 * 60 * 1000

/** Changes of a single subscriber that can be undone by themselves: jobs have an undo of their own, and what somebody did by a link is theirs. */
const undoneByThemselves: readonly (ChangeVia | null)[] = ['window', 'api_key']

/** Why a change cannot be undone on its own, as a sentence; null where it can. @param clock UNIX milliseconds */
export function whyNotUndone({ via, at }: Pick<ChangeLogTable, 'via' | 'at'>, clock: number): Refusal | null {
  if (!undoneByThemselves.includes(via)) {
    return refusal('undo_of_other_origin')
  }
  if (at < clock - undoTime) {
    return refusal('undo_too_old', { days: undoDays })
  }
  return null
}

/** Domains that one action puts right; a condition asks for each of them. */
export const maxCorrected = 40

/** What an action does, as it was read from the request; `name` is what its other list, field or suppression list was called then. */
export type BulkActionSettings =
  | { kind: 'set_status'; status: SubscriberStatus; revives: boolean }
  | {
      kind: 'set_field'
      custom_field_id: number
      name: string
      mode: FieldMode
      /** null = blank */
      value: StoredValue | null
      /** The value as people read it. */
      shown: string | null
    }
  | { kind: 'copy' | 'move'; name: string }
  | { kind: 'suppress'; name: string }
  | {
      kind: 'correct_domains'
      /** Domain as it is written -> as it is right, both in lower case. */
      domains: Record<string, string>
      name: string
    }
  | { kind: 'delete' }

/** Statuses of people who asked for no more messages; only who says so makes them active. */
export const declinedStatuses: readonly SubscriberStatus[] = ['unsubscribed', 'scomp']

interface Field {
  id: number
  name: string
  type: CustomFieldType
}

/**
 * Where the values of one list's fields go on another: into the same field if it is global, else into one of the same name. Fields without
 * a counterpart that could hold their values are left out.
 */
export function matchingFields<Of extends Field>(
  from: readonly Of[],
  to: readonly Of[]
): [source: Of, target: Of][] {
  return from.flatMap((source): [Of, Of][] => {
    const key = source.name.toLowerCase()
    const target = to.find(({ id }) => id === source.id) ?? to.find(({ name }) => name.toLowerCase() === key)
    return target && isAlike(source.type, target.type) ? [[source, target]] : []
  })
}

/** Whether values of one type can be read as another: texts hold everything. */
function isAlike(source: CustomFieldType, target: CustomFieldType): boolean {
  if (source === target || (hasOptions(source) && hasOptions(target))) return true
  return target === 'text_multiline' || (target === 'text' && source !== 'text_multiline')
}
