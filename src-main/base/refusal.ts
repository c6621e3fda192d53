import { english } from './refusals/english.ts'

/** A rule that an input can break, by its name in {@link english}. */
export type Rule = keyof typeof english

/** A record by its kind, as english calls it, its id and its name. */
interface NamedRecord {
  kind: string
  id: number
  name: string
}

/** A value in a sentence, or several that are joined with commas. */
export type Param = string | number | readonly (string | number | NamedRecord)[]

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
const words = new Set(['kind', 'what', 'noun', 'type'])

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
 * @param params what stands in the sentence of the rule; `field` also where the sentence does not name the field that it is about
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

/**
 * A sentence with its params.
 * @param terms words of ours in the language of the sentence, by the English ones
 */
export function filled(
  sentence: string,
  params: Readonly<Record<string, Param>>,
  terms: Readonly<Record<string, string>> = {}
): string {
  const termFor = (word: string): string => (Object.hasOwn(terms, word) ? terms[word] : undefined) ?? word
  return sentence.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = params[name]
    // The compiler ensures that every rule gets its params, so any other name in braces is plain text.
    if (value === undefined) return placeholder
    if (typeof value !== 'object') return words.has(name) ? termFor(String(value)) : String(value)
    return value
      .map((each) => (typeof each === 'object' ? `${termFor(each.kind)} ${each.id} (${each.name})` : each))
      .join(', ')
  })
}

/** A refusal in English, as error_message has it. */
export function englishOf({ field = '', rule, params }: Refusal): string {
  return filled(english[rule], { ...params, field })
}
