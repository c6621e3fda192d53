/** Refusals of the API in another language, by what they are in English; {1}, {2} … stand for what is in them. */
export type Refusals = Readonly<Record<string, string>>

interface Pattern {
  matches: RegExp
  translation: string
  /** Whether what stands for each number is quoted, and so what somebody wrote. */
  quoted: readonly boolean[]
  /** Characters that are the same in every message of this form: of two that fit, the one with more is meant. */
  fixed: number
}

let whole: Refusals = {}
let patterns: readonly Pattern[] = []

/** Has refusals told in the language of these. */
export function tellRefusalsIn(refusals: Refusals): void {
  whole = refusals
  patterns = Object.entries(refusals)
    .filter(([english]) => english.includes('{1}'))
    .map(([english, translation]) => patternOf(english, translation))
    .sort((a, b) => b.fixed - a.fixed)
}

function patternOf(english: string, translation: string): Pattern {
  const parts = english.split(/\{\d\}/)
  const source = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('(.+?)')
  return {
    matches: new RegExp(`^${source}$`, 's'),
    translation,
    quoted: parts
      .slice(1)
      .map((after, index) => after.startsWith('"') && parts[index]?.endsWith('"') === true),
    fixed: parts.join('').length
  }
}

/**
 * A refusal in the language of the window. The API joins several with commas; what is quoted in one may hold commas as well.
 * @param nameOf what a field is called there
 * @returns null where it is not known in that language, or that is English
 */
export function translated(message: string, nameOf: (field: string) => string): string | null {
  for (let comma = message.indexOf(', '); comma !== -1; comma = message.indexOf(', ', comma + 2)) {
    const first = translatedOne(message.slice(0, comma), nameOf)
    const rest = first === null ? null : translated(message.slice(comma + 2), nameOf)
    if (rest !== null) return `${first}. ${rest.charAt(0).toUpperCase()}${rest.slice(1)}`
  }
  return translatedOne(message, nameOf)
}

function translatedOne(message: string, nameOf: (field: string) => string): string | null {
  const same = whole[message]
  if (same !== undefined) return same
  for (const { matches, translation, quoted } of patterns) {
    const found = matches.exec(message)
    if (!found) continue
    return translation.replaceAll(/\{(\d)\}/g, (_, number: string) => {
      const index = Number(number)
      const part = found[index] ?? ''
      return quoted[index - 1] ? part : (translated(part, nameOf) ?? nameOf(part))
    })
  }
  return null
}
