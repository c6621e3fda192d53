import { createI18n } from 'vue-i18n'
import type { Language } from '../src-main/base/languages.ts'
import type { RefusalLanguage } from '../src-main/base/refusal.ts'
import { setRefusalLanguage } from './api/refusal-language.ts'
import { language } from './language.ts'
import en from './locales/en.json'

/** Every sentence of the window; another language is another file in locales/, with the same keys. */
export const i18n = createI18n({ legacy: false, locale: 'en', fallbackLocale: 'en', messages: { en } })

/** The files of a language other than English. */
interface LanguageFiles {
  sentences: typeof en
  rules: RefusalLanguage
}

const loaders: Record<Exclude<Language, 'en'>, () => Promise<LanguageFiles>> = {
  de: async () => {
    const [{ default: sentences }, { german, germanTerms }] = await Promise.all([
      import('./locales/de.json'),
      import('../src-main/base/refusals/german.ts')
    ])
    return { sentences, rules: { sentences: german, terms: germanTerms } }
  }
}

/** Returns the sentences of every language, for what may have been written in another one than the window's. */
export async function sentencesOfAllLanguages(): Promise<(typeof en)[]> {
  const others = await Promise.all(Object.values(loaders).map((load) => load()))
  return [en, ...others.map(({ sentences }) => sentences)]
}

/** Loads the sentences of the window's language; those of English are there from the beginning. */
export async function loadSentences(): Promise<void> {
  if (language === 'en') return
  const { sentences, rules } = await loaders[language]()
  setRefusalLanguage(language, rules)
  const { global } = i18n as unknown as {
    global: { setLocaleMessage: SetMessages; locale: { value: string } }
  }
  global.setLocaleMessage(language, sentences)
  global.locale.value = language
}

type SetMessages = (language: string, sentences: typeof en) => void
