import { replacementKey } from '../autoresponders/rules.ts'

/** A replacement code in a content, with its name and whether `:raw` follows it (docs/api.md, "Replacement codes"). */
export const codePattern = /%%([^%\r\n]{1,300}?)(:raw)?%%/gi

/** The key under which the name in a code is looked up. */
export function codeKey(name: string): string {
  return replacementKey(name.trim())
}

/** Whether a text holds the code of a name, such as that of a custom field. */
export function holdsCode(text: string, name: string): boolean {
  const key = replacementKey(name)
  return [...text.matchAll(codePattern)].some(([, written = '']) => codeKey(written) === key)
}
