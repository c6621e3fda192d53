import { createI18n } from 'vue-i18n'
import en from './locales/en.json'

/** Every sentence of the window; another language is another file in locales/. */
export const i18n = createI18n({ legacy: false, locale: 'en', fallbackLocale: 'en', messages: { en } })
