import type { FormError } from '@nuxt/ui'
import type { ApiFailure } from './client.ts'
import { sentenceOf } from './sentence.ts'

/** What a call was refused for, told apart by where it is shown. */
export interface PlacedFaults {
  atFields: FormError[]
  /** A sentence about the rest; null where there is none. */
  elsewhere: string | null
}

/**
 * The API joins its complaints with commas, and each begins with the name of a field.
 * @param fields the names of those that are shown
 * @param explain says what was refused in other words
 */
export function placeFaults(
  { refusal }: ApiFailure,
  fields: readonly string[],
  explain: (refusal: string) => string = (refusal) => refusal
): PlacedFaults {
  const explained = explain(refusal)
  const names = fields
    .filter((name) => name !== '')
    .toSorted((a, b) => b.length - a.length)
    .map((name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  if (names.length === 0) return { atFields: [], elsewhere: sentenceOf(explained) }
  const complaints = explained.split(new RegExp(`(?:^|, )(?=(?:${names.join('|')}) )`))
  const named = new RegExp(`^(${names.join('|')}) (.+)$`, 's')
  const atFields: FormError[] = []
  const others: string[] = []
  for (const complaint of complaints.filter((each) => each !== '')) {
    const [, name, message] = named.exec(complaint) ?? []
    if (name === undefined || message === undefined) others.push(complaint)
    // A field is marked once, with what was found first.
    else if (!atFields.some((fault) => fault.name === name))
      atFields.push({ name, message: sentenceOf(message) })
  }
  return { atFields, elsewhere: others.length > 0 ? sentenceOf(others.join(', ')) : null }
}
