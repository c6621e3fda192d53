import type { FormError } from '@nuxt/ui'
import type { ApiFailure } from './client.ts'
import { refusalAtField, refusalSentence } from './refusal-text.ts'

/** The refusals of a call, grouped by the place where the form shows them. */
export interface PlacedFaults {
  atFields: FormError[]
  /** Sentences about everything else, or null. */
  elsewhere: string | null
}

/** @param fields the names of those that are shown */
export function placeFaults({ refusals }: ApiFailure, fields: readonly string[]): PlacedFaults {
  const atFields = new Map<string, Set<string>>()
  const elsewhere = new Set<string>()
  for (const refusal of refusals) {
    const { field } = refusal
    if (field === undefined || !fields.includes(field)) elsewhere.add(refusalSentence(refusal))
    else atFields.set(field, (atFields.get(field) ?? new Set()).add(refusalAtField(refusal)))
  }
  return {
    atFields: [...atFields].map(([name, sentences]) => ({ name, message: [...sentences].join(' ') })),
    elsewhere: elsewhere.size > 0 ? [...elsewhere].join(' ') : null
  }
}
