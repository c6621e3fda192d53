import type { Language } from '../../src-main/base/languages.ts'
import { language } from '../language.ts'
import type { HelpPage } from './help-page.ts'

const loaders: Record<Language, () => Promise<{ default: HelpPage[] }>> = {
  en: () => import('virtual:help/en'),
  de: () => import('virtual:help/de')
}

/** Returns the pages of Help in the language of the window. */
export async function loadHelp(): Promise<HelpPage[]> {
  return (await loaders[language]()).default
}
