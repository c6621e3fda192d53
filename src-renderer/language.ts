/** The languages that the window speaks, each by the name that its speakers know. */
export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

const storageKey = 'listwright.language'

function isLanguage(text: string | null | undefined): text is Language {
  return text !== null && text !== undefined && text in languages
}

/** The user's choice; null = the system's language, if it is available. */
export function chosenLanguage(): Language | null {
  // Unit tests have no localStorage.
  const kept = typeof localStorage === 'undefined' ? null : localStorage.getItem(storageKey)
  return isLanguage(kept) ? kept : null
}

/** Stores a choice, which applies after a reload. */
export function chooseLanguage(language: Language | null): void {
  if (language === null) localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, language)
}

const ofSystem: readonly string[] = navigator.languages

function languageOf(tag: string): string {
  return tag.split('-')[0]?.toLowerCase() ?? ''
}

/** The language of this window; it changes only when the window is reloaded. */
export const language: Language = chosenLanguage() ?? ofSystem.map(languageOf).find(isLanguage) ?? 'en'

/**
 * The locale of numbers and times: the system's, such as en-GB, if it is a variant of the window's language.
 */
export const locale: string = ofSystem.find((tag) => languageOf(tag) === language) ?? language
