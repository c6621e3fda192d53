import type { Rule, Sentences } from '../../src-main/base/refusal.ts'
import { english } from '../../src-main/base/refusals/english.ts'

/** What the window says other than the API, whose clients compare its words. */
const ofWindow: Record<'en' | 'de', Partial<Record<Rule, string>>> = {
  en: { taken_key: '{field} is already used by a subscriber on this list' },
  de: { taken_key: '{field} muss ein anderer Wert sein: Ein Abonnent dieser Liste hat ihn schon' }
}

interface RefusalLanguage {
  sentences: Sentences
  /** Words of ours in refusals, by the English ones. */
  terms: Readonly<Record<string, string>>
}

/** How the window words refusals. */
export const refusalLanguage: RefusalLanguage = { sentences: { ...english, ...ofWindow.en }, terms: {} }

/** Has the window word refusals in another language. */
export function setRefusalLanguage(
  language: keyof typeof ofWindow,
  { sentences, terms }: RefusalLanguage
): void {
  refusalLanguage.sentences = { ...sentences, ...ofWindow[language] }
  refusalLanguage.terms = terms
}
