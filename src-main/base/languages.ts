/** The languages of the window and of the shell around it, each by the name that its speakers know. */
export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

/** Returns the available language of a tag such as de-AT or de_AT.UTF-8; null if there is none. */
export function languageOfTag(tag: string): Language | null {
  const [language = ''] = tag.toLowerCase().split(/[-_.@]/)
  return Object.hasOwn(languages, language) ? (language as Language) : null
}
