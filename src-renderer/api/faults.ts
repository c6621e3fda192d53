import type { FormError } from '@nuxt/ui'
import type { ApiFailure } from './client.ts'
import { complaintAt, sentenceOf } from './sentence.ts'

/** What a call was refused for, told apart by where it is shown. */
export interface PlacedFaults {
  atFields: FormError[]
  /** What is said about everything else, as a sentence; null if there is nothing else. */
  elsewhere: string | null
}

/** How a complaint goes on after the name of its field and its value. What is chosen from may begin like a field, and goes on otherwise. */
const predicate = /^ (?:"(?:(?!"[ ,]).)*" )?(?:cannot|must|is|has|may|names|refers)/

/** What stands in quotes, which may hold anything but a quote that ends it. */
const quotation = /"(?:(?!"(?:[ ,.]|$)).)*"(?=[ ,.]|$)/gs

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
  const text = explain(refusal)
  const names = fields.filter((name) => name !== '').toSorted((a, b) => b.length - a.length)
  const quoted = [...text.matchAll(quotation)].map(
    ({ index, 0: all }) => [index, index + all.length] as const
  )
  const isQuoted = (place: number): boolean => quoted.some(([start, end]) => start < place && place < end)
  /** Where the next complaint may be parted from the one before it. */
  const partAfter = (place: number): number => {
    let at = text.indexOf(', ', place)
    while (at !== -1 && isQuoted(at)) at = text.indexOf(', ', at + 2)
    return at
  }
  const fieldAt = (place: number): string | undefined =>
    names.find((name) => text.startsWith(name, place) && predicate.test(text.slice(place + name.length)))

  const messages = new Map<string, string[]>()
  const others: string[] = []
  for (let place = 0; place < text.length;) {
    const field = fieldAt(place)
    const begin = place + (field?.length ?? 0)
    let end = partAfter(begin)
    while (end !== -1 && fieldAt(end + 2) === undefined) end = partAfter(end + 2)
    if (end === -1) end = text.length
    const complaint = text.slice(begin, end)
    if (field === undefined) others.push(complaint)
    else messages.set(field, [...(messages.get(field) ?? []), complaintAt(field, complaint)])
    place = end + 2
  }
  return {
    atFields: [...messages].map(([name, sentences]) => ({
      name,
      message: [...new Set(sentences)].join(' ')
    })),
    elsewhere: others.length > 0 ? sentenceOf(others.join(', ')) : null
  }
}
