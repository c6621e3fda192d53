import { type Refusal, refusal } from '../../base/refusal.ts'
import type { ChangeVia } from '../../database/origin.ts'
import type { ChangeLogTable } from '../../database/schema.ts'
import { hasOptions, type StoredValue } from '../custom-fields/rules.ts'
import type { CustomFieldType } from '../custom-fields/schema.ts'
import type { SubscriberStatus } from '../subscribers/schema.ts'
import type { FieldMode } from './schema.ts'

/** Days after which an action can no longer be undone. */
export const undoDays = 7
/** The same in milliseconds. */
export const undoTime = undoDays * 24 * 60 * 60 * 1000

/**
 * Origins of changes that can be undone one by one. Jobs have an undo of their own, and what a recipient did
 * by a link is theirs.
 */
const undoneByThemselves: readonly (ChangeVia | null)[] = ['window', 'api_key']

/**
 * Returns why a change cannot be undone on its own, or null.
 * @param clock UNIX milliseconds
 */
export function undoObstacle({ via, at }: Pick<ChangeLogTable, 'via' | 'at'>, clock: number): Refusal | null {
  if (!undoneByThemselves.includes(via)) {
    return refusal('undo_of_other_origin')
  }
  if (at < clock - undoTime) {
    return refusal('undo_too_old', { days: undoDays })
  }
  return null
}

/** Domains that one action can correct; each becomes a condition. */
export const maxCorrected = 40

/**
 * The settings of an action as read from the request; `name` is the name of the other list, field or
 * suppression list at that time.
 */
export type BulkActionSettings =
  | { kind: 'set_status'; status: SubscriberStatus; revives: boolean }
  | {
      kind: 'set_field'
      custom_field_id: number
      name: string
      mode: FieldMode
      /** null = blank */
      value: StoredValue | null
      /** The value as shown to users. */
      shown: string | null
    }
  | { kind: 'copy' | 'move'; name: string }
  | { kind: 'suppress'; name: string }
  | {
      kind: 'correct_domains'
      /** Misspelled domain -> correct domain, both in lower case. */
      domains: Record<string, string>
      name: string
    }
  | { kind: 'delete' }

/** Statuses of subscribers who asked for no more mail; they become active only on explicit request. */
export const declinedStatuses: readonly SubscriberStatus[] = ['unsubscribed', 'scomp']

interface Field {
  id: number
  name: string
  type: CustomFieldType
}

/**
 * Maps the fields of one list to those of another: a global field to itself, others to the field with the
 * same name. Fields without a compatible counterpart are left out.
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

function isAlike(source: CustomFieldType, target: CustomFieldType): boolean {
  if (source === target || (hasOptions(source) && hasOptions(target))) return true
  return target === 'text_multiline' || (target === 'text' && source !== 'text_multiline')
}
