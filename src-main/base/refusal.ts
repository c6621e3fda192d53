import { english } from './refusals/english.ts'

/** A rule that an input can break, by its name in {@link english}. */
export type Rule = keyof typeof english

interface NamedRecord {
  kind: string
  id: number
  name: string
}

/** A value in a sentence, another refusal, or several of these, which are joined with commas. */
export type Param = ParamItem | readonly ParamItem[]
type ParamItem = string | number | NamedRecord | Refusal

/** A rule that a value breaks, without the field of the value. */
export interface Complaint {
  rule: Rule
  params: Readonly<Record<string, Param>>
}

/** Why something was refused. It is worded in the reader's language where it is shown. */
export interface Refusal extends Complaint {
  /** The field that it is about, by its name in the API, such as "contents.0.subject"; absent for none. */
  field?: string
}

/** The sentences of a language, with the names of params in braces. */
export type Sentences = Readonly<Record<Rule, string>>

/** Params that are words of ours, such as "mailing list": other languages have other words for them. */
const words = new Set(['kind', 'what', 'noun', 'type', 'blank', 'wanted', 'path', 'system'])

type Placeholder<Sentence extends string> = Sentence extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never

type ParamsOf<Of extends Rule> = Record<Placeholder<(typeof english)[Of]>, Param>

/** The field of a rule, which the sentence may not name. */
type FieldOf<Of extends Rule> = 'field' extends keyof ParamsOf<Of> ? { field: string } : { field?: string }

/** Params that may all be absent need not be given. */
type Arguments<Params> = object extends Params ? [params?: Params] : [params: Params]

/** @param params what stands in the sentence of the rule, beside the field */
export function complaint<Of extends Rule>(
  rule: Of,
  ...[params]: Arguments<Omit<ParamsOf<Of>, 'field'>>
): Complaint {
  return { rule, params: params ?? {} }
}

/**
 * @param params the values for the rule's sentence. `field` is the field that the refusal is about, even if the sentence does not
 * name it
 */
export function refusal<Of extends Rule>(
  rule: Of,
  ...[given]: Arguments<Omit<ParamsOf<Of>, 'field'> & FieldOf<Of>>
): Refusal {
  const { field, ...params } = (given ?? {}) as Record<string, Param> & { field?: string }
  return { ...(field !== undefined && { field }), rule, params }
}

/** A complaint about the value of a field. */
export function refusalAt(field: string, { rule, params }: Complaint): Refusal {
  return { field, rule, params }
}

/** The texts of a language. */
export interface RefusalLanguage {
  sentences: Sentences
  /** Listwright's own terms in params, such as "mailing list", by the English term. */
  terms: Readonly<Record<string, string>>
}

/** Words a refusal in a language. */
export function wordRefusal({ field = '', rule, params }: Refusal, language: RefusalLanguage): string {
  return fillSentence(language.sentences[rule], { ...params, field }, language)
}

/** Puts params into a sentence. Refusals among them are worded in the same language. */
export function fillSentence(
  sentence: string,
  params: Readonly<Record<string, Param>>,
  language: RefusalLanguage
): string {
  const termFor = (word: string): string =>
    (Object.hasOwn(language.terms, word) ? language.terms[word] : undefined) ?? word
  return sentence.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = params[name]
    // The compiler ensures that every rule gets its params, so any other name in braces is plain text.
    if (value === undefined) return placeholder
    const items = Array.isArray(value) ? (value as readonly ParamItem[]) : [value as ParamItem]
    return items
      .map((item) => {
        if (typeof item !== 'object') return words.has(name) ? termFor(String(item)) : item
        if ('rule' in item) return wordRefusal(item, language)
        return `${termFor(item.kind)} ${item.id} (${item.name})`
      })
      .join(', ')
  })
}

const inEnglish: RefusalLanguage = { sentences: english, terms: {} }

/** A refusal in English, as error_message has it. */
export function englishOf(refusal: Refusal): string {
  return wordRefusal(refusal, inEnglish)
}

/** Ends a text with a period unless it is a sentence already. */
export function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
