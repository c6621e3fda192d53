import { replacementKey } from '../autoresponders/rules.ts'

/** A replacement code with its name and an optional `:raw` (docs/api.md, "Replacement codes"). */
export const codePattern = /%%([^%\r\n]{1,300}?)(:raw)?%%/gi

export function codeKey(name: string): string {
  return replacementKey(name.trim())
}

/** True if a text contains the code of a name, such as a custom field. */
export function holdsCode(text: string, name: string): boolean {
  const key = replacementKey(name)
  return [...text.matchAll(codePattern)].some(([, written = '']) => codeKey(written) === key)
}
