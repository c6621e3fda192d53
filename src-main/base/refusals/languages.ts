import { messageOf, refusalOf } from '../errors.ts'
import type { Language } from '../languages.ts'
import { type RefusalLanguage, wordRefusal } from '../refusal.ts'
import { english } from './english.ts'
import { german, germanTerms } from './german.ts'

/** The sentences and terms of each language. */
export const refusalLanguages: Record<Language, RefusalLanguage> = {
  en: { sentences: english, terms: {} },
  de: { sentences: german, terms: germanTerms }
}

/** Words an error in a language if it has a refusal; the message of any other error stays as it is. */
export function explainError(error: unknown, language: Language): string {
  const reason = refusalOf(error)
  return reason.rule === 'said' ? messageOf(error) : wordRefusal(reason, refusalLanguages[language])
}
