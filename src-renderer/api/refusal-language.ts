import type { Language } from '../../src-main/base/languages.ts'
import type { RefusalLanguage, Rule } from '../../src-main/base/refusal.ts'
import { english } from '../../src-main/base/refusals/english.ts'

const ofWindow: Record<Language, Partial<Record<Rule, string>>> = {
  en: {
    taken_key: '{field} is already used by a subscriber on this list',
    options_without_select: 'Only select fields have options',
    header_line: '{field}: line {line} must be a name, a colon and a value, such as X-Team: Blue',
    own_header: '{field}: line {line} must not be {name}, which each message has of its own',
    system_admin_elsewhere: 'Only users of the System Organization can be system administrators',
    deletion_disabled: 'Subscribers cannot be deleted here: this is turned off in the settings',
    removal_disabled: 'Subscribers cannot be removed here: this is turned off in the settings',
    limit_by_others: 'Only system administrators may set the limit of subscribers'
  },
  de: { taken_key: '{field} muss ein anderer Wert sein: Ein Abonnent dieser Liste hat ihn schon' }
}

export const refusalLanguage: RefusalLanguage = { sentences: { ...english, ...ofWindow.en }, terms: {} }

export function setRefusalLanguage(language: Language, { sentences, terms }: RefusalLanguage): void {
  refusalLanguage.sentences = { ...sentences, ...ofWindow[language] }
  refusalLanguage.terms = terms
}
