import { englishOf, type Refusal, refusal } from './refusal.ts'

declare const isStored: unique symbol

/**
 * A refusal as a column holds it: JSON with its rule, its params and its English sentence, which stays readable when
 * a later version no longer has the rule. Earlier versions stored the sentence alone.
 */
export type StoredRefusal = string & { readonly [isStored]: true }

interface Stored extends Refusal {
  text: string
}

export function storeRefusal(fault: Refusal): StoredRefusal {
  const stored: Stored = { ...fault, text: englishOf(fault) }
  return JSON.stringify(stored) as StoredRefusal
}

/** Returns a stored refusal, and the sentence that it had when it was stored. */
export function readStoredRefusal(column: StoredRefusal): { text: string; fault: Refusal } {
  const stored = parseStored(column)
  if (stored === null) return { text: column, fault: refusal('said', { text: column }) }
  const { text, ...fault } = stored
  return { text, fault: isWordedAs(text, fault) ? fault : refusal('said', { text }) }
}

/** Returns null for a sentence of an earlier version. */
function parseStored(column: string): Stored | null {
  if (!column.startsWith('{"')) return null
  try {
    const { rule, params, text, field } = JSON.parse(column) as Partial<Stored>
    if (rule === undefined || params === undefined || text === undefined) return null
    return { ...(field !== undefined && { field }), rule, params, text }
  } catch (error) {
    // A sentence may begin with the name of a file, which may begin like JSON.
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** False if a rule or param of the refusal has changed since it was stored. */
function isWordedAs(text: string, fault: Refusal): boolean {
  try {
    return englishOf(fault) === text
  } catch (error) {
    // There is no sentence for a rule, or for one inside the params.
    if (error instanceof TypeError) return false
    throw error
  }
}

/** A stored refusal as a resource has it: the sentence for programs, and the refusal for the window. */
export function presentStored(column: StoredRefusal | null): {
  error_message: string | null
  fault: Refusal | null
} {
  if (column === null) return { error_message: null, fault: null }
  const { text, fault } = readStoredRefusal(column)
  // Earlier versions stored a blank sentence for none.
  return { error_message: text, fault: text === '' ? null : fault }
}
