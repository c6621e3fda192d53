import { createI18n } from 'vue-i18n'
import { setRefusalLanguage } from './api/refusal-language.ts'
import { patternsOf, setStoredRefusalLanguage } from './api/refusals.ts'
import { language } from './language.ts'
import en from './locales/en.json'

/** Every sentence of the window; another language is another file in locales/, with the same keys. */
export const i18n = createI18n({ legacy: false, locale: 'en', fallbackLocale: 'en', messages: { en } })

/** Loads the sentences of the window's language; those of English are there from the beginning. */
export async function loadSentences(): Promise<void> {
  if (language === 'en') return
  const [{ default: sentences }, { default: refusals }, { german, germanTerms }] = await Promise.all([
    import('./locales/de.json'),
    import('./locales/de.refusals.json'),
    import('../src-main/base/refusals/german.ts')
  ])
  setRefusalLanguage(language, { sentences: german, terms: germanTerms })
  setStoredRefusalLanguage({ ...patternsOf(german), ...refusals })
  const { global } = i18n as unknown as {
    global: { setLocaleMessage: SetMessages; locale: { value: string } }
  }
  global.setLocaleMessage(language, sentences)
  global.locale.value = language
}

type SetMessages = (language: string, sentences: typeof en) => void
