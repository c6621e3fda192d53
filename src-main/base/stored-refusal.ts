import { englishOf, type Refusal, refusal } from './refusal.ts'
import { english } from './refusals/english.ts'

declare const isStored: unique symbol

/**
 * A refusal as a column holds it: JSON with its rule, its params and its English sentence, which stays readable when
 * a later version no longer has the rule. Earlier versions stored the sentence alone.
 */
export type StoredRefusal = string & { readonly [isStored]: true }

/** The members of the JSON, beside those of the refusal. */
interface Stored extends Refusal {
  text: string
}

export function storeRefusal(fault: Refusal): StoredRefusal {
  const stored: Stored = { ...fault, text: englishOf(fault) }
  return JSON.stringify(stored) as StoredRefusal
}

/** Returns a stored refusal, and the sentence that it had when it was stored. */
export function readStoredRefusal(column: StoredRefusal): { text: string; fault: Refusal } {
  // No sentence begins with a brace.
  if (!column.startsWith('{')) return { text: column, fault: refusal('said', { text: column }) }
  const { text, ...fault } = JSON.parse(column) as Stored
  return { text, fault: Object.hasOwn(english, fault.rule) ? fault : refusal('said', { text }) }
}

/** The sentence of a column that may be null. */
export function textOfStored(column: StoredRefusal | null): string | null {
  return column === null ? null : readStoredRefusal(column).text
}

/** The refusal of a column that may be null. */
export function faultOfStored(column: StoredRefusal | null): Refusal | null {
  return column === null ? null : readStoredRefusal(column).fault
}
