import { type Language, languageOfTag } from '../src-main/base/languages.ts'

const storageKey = 'listwright.language'

/** The user's choice; null = the system's language, if it is available. */
export function chosenLanguage(): Language | null {
  // Unit tests have no localStorage.
  const kept = typeof localStorage === 'undefined' ? null : localStorage.getItem(storageKey)
  return kept === null ? null : languageOfTag(kept)
}

/** Stores a choice, which applies after a reload. */
export function chooseLanguage(language: Language | null): void {
  if (language === null) localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, language)
}

const ofSystem: readonly string[] = navigator.languages

/** The language of this window; it changes only when the window is reloaded. */
export const language: Language =
  chosenLanguage() ?? ofSystem.map(languageOfTag).find((each) => each !== null) ?? 'en'

/**
 * The locale of numbers and times: the system's, such as en-GB, if it is a variant of the window's language.
 */
export const locale: string = ofSystem.find((tag) => languageOfTag(tag) === language) ?? language
