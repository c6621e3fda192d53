import type { FormError } from '@nuxt/ui'
import type { ApiFailure } from './client.ts'
import { refusalAtField, refusalSentence } from './refusal-text.ts'

/** What a call was refused for, told apart by where it is shown. */
export interface PlacedFaults {
  atFields: FormError[]
  /** What is said about everything else, in sentences; null if there is nothing else. */
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
