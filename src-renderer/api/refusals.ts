import type { Rule, Sentences } from '../../src-main/base/refusal.ts'
import { english } from '../../src-main/base/refusals/english.ts'

/**
 * Translations of stored sentences, by their English form. {1}, {2} … are placeholders without a comma before
 * a space; {1…} is a list, {1*} anything. Quoted text may contain anything but the end of a quotation. A key
 * that begins with @ occurs only within others.
 */
export type Refusals = Readonly<Record<string, string>>

interface Pattern {
  matches: RegExp
  translation: string
  /** True for each placeholder that is quoted, hence a user's text. */
  quoted: readonly boolean[]
  /** True if it occurs only within others. */
  isPart: boolean
  /** Characters that are the same in every message of this form: of two that fit, the one with more is meant. */
  fixed: number
}

/** Messages that are kept once they were translated: the rows of a table have the same ones, and are drawn often. */
const maxKept = 1000
/** Parts between commas that one refusal has at most, beside those of its list. */
const maxParts = 5
/** Limit of the parts between commas that are examined. */
const maxAllParts = 60

let whole: ReadonlyMap<string, string> = new Map()
let patterns: readonly Pattern[] = []
const kept = new Map<string, string | null>()

/** Params of rules that are lists, and those that are any text. */
const lists = new Set([
  'values',
  'others',
  'keys',
  'places',
  'names',
  'inputs',
  'known',
  'allowed',
  'columns'
])
const texts = new Set(['fault', 'faults', 'question'])

/** The sentences of rules as patterns, for those that are stored in English. */
export function patternsOf(sentences: Sentences): Refusals {
  // Sentences with too few fixed letters would match anything.
  const rules = (Object.keys(english) as Rule[]).filter(
    (rule) => english[rule].replaceAll(/\{\w+\}|\W/g, '').length >= 10 && !english[rule].includes('} {')
  )
  const patterns: Record<string, string> = {}
  for (const rule of rules) {
    const names: string[] = []
    const pattern = english[rule].replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      if (!names.includes(name)) names.push(name)
      const kind = lists.has(name) ? '…' : texts.has(name) ? '*' : ''
      return `{${names.indexOf(name) + 1}${kind}}`
    })
    const translation = sentences[rule].replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => `{${names.indexOf(name) + 1}}`
    )
    // If rules share a sentence, the first one is the general one.
    patterns[pattern] ??= translation
  }
  return patterns
}

export function setStoredRefusalLanguage(refusals: Refusals): void {
  const entries = Object.entries(refusals)
  whole = new Map(entries.filter(([english]) => !english.includes('{1')))
  patterns = entries
    .filter(([english]) => english.includes('{1'))
    .map(([english, translation]) => patternOf(english, translation))
    .sort((a, b) => b.fixed - a.fixed)
  kept.clear()
}

function patternOf(key: string, translation: string): Pattern {
  const isPart = key.startsWith('@')
  const english = isPart ? key.slice(1) : key
  const quoted: boolean[] = []
  let fixed = 0
  const source = english
    .split(/(\{\d[…*]?\})/)
    .map((part, index, parts) => {
      if (index % 2 === 0) {
        fixed += part.length
        return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      }
      const isQuoted = parts[index - 1]?.endsWith('"') === true && parts[index + 1]?.startsWith('"') === true
      quoted.push(isQuoted)
      if (isQuoted) return '((?:(?!"[ ,]).)*)'
      // The part after a colon may be a sentence of another program.
      const isLast =
        index === parts.length - 2 && parts[index - 1]?.endsWith(': ') === true && parts[index + 1] === ''
      if (part.includes('*') || isLast) return '(.+)'
      // A list of names ends where the next refusal begins.
      return part.includes('…') ? '((?:(?!"| (?:cannot|must|is not|has) ).)+)' : '((?:(?!, ).)+?)'
    })
    .join('')
  return { matches: new RegExp(`^${source}$`, 's'), translation, quoted, isPart, fixed }
}

/**
 * A refusal in the language of the window. The API joins several with commas.
 * @param nameOf what a field is called there
 * @returns null where a part of it is not known in that language, or that is English
 */
export function translated(message: string, nameOf: (field: string) => string): string | null {
  if (patterns.length === 0) return null
  const known = kept.get(message)
  if (known !== undefined) return known
  const translation = joined(translatedParts(message.split(', '), nameOf))
  if (kept.size >= maxKept) kept.clear()
  kept.set(message, translation)
  return translation
}

/** The longest refusal first: what follows it is another one. @returns null where a part is not known */
function translatedParts(parts: readonly string[], nameOf: (field: string) => string): string[] | null {
  if (parts.length > maxAllParts) return null
  const sentences: string[] = []
  for (let start = 0; start < parts.length;) {
    let end = parts.length
    let sentence: string | null = null
    for (; end > start; end--) {
      // Only lists of names can be long; other joined sentences have few parts.
      if (end - start > maxParts && !/ one of | some of /.test(parts[start] ?? '')) end = start + maxParts
      sentence = translatedOne(parts.slice(start, end).join(', '), nameOf)
      if (sentence !== null) break
    }
    if (sentence === null) return null
    sentences.push(sentence)
    start = end
  }
  return sentences
}

function joined(sentences: readonly string[] | null): string | null {
  if (sentences === null) return null
  return sentences
    .map((sentence, index) => {
      const begun = index === 0 ? sentence : sentence.charAt(0).toUpperCase() + sentence.slice(1)
      return index < sentences.length - 1 ? `${begun.replace(/\.$/, '')}.` : begun
    })
    .join(' ')
}

function translatedOne(message: string, nameOf: (field: string) => string, isPart = false): string | null {
  const same = whole.get(message) ?? (isPart ? whole.get(`@${message}`) : undefined)
  if (same !== undefined) return same
  for (const { matches, translation, quoted, isPart: isForParts } of patterns) {
    const found = isForParts && !isPart ? null : matches.exec(message)
    if (!found) continue
    return translation.replaceAll(/\{(\d)\}/g, (_, number: string) => {
      const index = Number(number)
      const part = found[index] ?? ''
      return quoted[index - 1] ? part : translatedPart(part, nameOf)
    })
  }
  return null
}

/** Translates a placeholder: another sentence, a list, or a field name. */
function translatedPart(part: string, nameOf: (field: string) => string): string {
  const one = translatedOne(part, nameOf, true)
  if (one !== null) return one
  const items = part.split(', ').map((item) => translatedOne(item, nameOf, true) ?? nameOf(item))
  return items.join(', ')
}
