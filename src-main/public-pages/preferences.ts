import type { Language } from '../base/languages.ts'
import type { Control } from './controls.ts'
import type { PageLook } from './look.ts'
import type { PublicPage } from './render.ts'
import { publicPage } from './texts.ts'

/** A list that a visitor may choose. */
export interface ChoosableList {
  id: number
  name: string
  description: string
  /** Whether the visitor gets it; null = not known. */
  isOn: boolean | null
}

/** What a visitor chose, by list; lists that stay as they are are left out. */
export type Preferences = Record<number, boolean>

/** The query of the address at which a page for unsubscribing shows preferences instead, with any value. */
export const preferencesQuery = 'preferences'

const texts = {
  en: {
    link: 'Choose what you get instead',
    same: 'Leave it as it is',
    sameOn: 'Leave it as it is: you get it',
    sameOff: 'Leave it as it is: you do not get it',
    on: 'I want it',
    off: 'I do not want it'
  },
  de: {
    link: 'Lieber auswählen, was Sie erhalten',
    same: 'So lassen',
    sameOn: 'So lassen: Sie erhalten es',
    sameOff: 'So lassen: Sie erhalten es nicht',
    on: 'Ich möchte es',
    off: 'Ich möchte es nicht'
  }
} satisfies Record<Language, Record<string, string>>

/** Adds to a page for unsubscribing a link to the preferences. */
export function withPreferencesLink(page: PublicPage, language: Language): PublicPage {
  return { ...page, link: { label: texts[language].link, href: `?${preferencesQuery}=1` } }
}

export function preferencesPage(
  language: Language,
  look: PageLook,
  lists: readonly ChoosableList[]
): PublicPage {
  return {
    ...publicPage('preferences', language, { ...look, list: '' }),
    controls: lists.map((list) => controlOf(list, language))
  }
}

function controlOf({ id, name, description, isOn }: ChoosableList, language: Language): Control {
  const { same, sameOn, sameOff, on, off } = texts[language]
  const stays = isOn === null ? same : isOn ? sameOn : sameOff
  return {
    ...{ kind: 'choice', name: `list_${id}`, label: name, help: description },
    options: [
      { value: '', label: stays },
      { value: '1', label: on },
      { value: '0', label: off }
    ]
  }
}

/** Most lists that one visitor chooses at once. */
const mostLists = 500

/** Reads what the page of preferences posts. @returns null for something else */
export function readPreferences(body: unknown): Preferences | null {
  if (typeof body !== 'string') return null
  const chosen: Preferences = {}
  for (const [name, value] of [...new URLSearchParams(body)].slice(0, mostLists)) {
    const id = /^list_([1-9]\d{0,14})$/.exec(name)?.[1]
    if (id !== undefined && (value === '0' || value === '1')) chosen[Number(id)] = value === '1'
  }
  return chosen
}
