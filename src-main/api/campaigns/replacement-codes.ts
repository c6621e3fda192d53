import { replacementKey } from '../autoresponders/rules.ts'

/** A replacement code with its name and an optional `:raw` (docs/api.md, "Replacement codes"). */
export const codePattern = /%%([^%\r\n]{1,300}?)(:raw)?%%/gi

export function codeKey(name: string): string {
  return replacementKey(name.trim())
}

/** A code such as %%First_Name|there%%: what is written where the value is blank. */
export interface CodeFallback {
  key: string
  text: string
}

/** Returns the fallback in the name of a code; null without one. A field whose name contains a "|" is meant itself where it exists. */
export function fallbackOf(name: string): CodeFallback | null {
  const bar = name.indexOf('|')
  return bar <= 0 ? null : { key: codeKey(name.slice(0, bar)), text: name.slice(bar + 1) }
}

/** True if a text contains the code of a name, such as a custom field. */
export function holdsCode(text: string, name: string): boolean {
  const key = replacementKey(name)
  return [...text.matchAll(codePattern)].some(
    ([, written = '']) => codeKey(written) === key || fallbackOf(written)?.key === key
  )
}
