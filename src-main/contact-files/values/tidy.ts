/** Changes that tidying makes to a cell. */
export type TidyChange = 'spaces' | 'invisible' | 'formula' | 'no_value'

const noValue =
  /^(?:#(?:N\/A|NA|NV|NAME\?|VALUE!|WERT!|REF!|BEZUG!|DIV\/0!|NULL!|NUM!|ZAHL!|FELD!|GETTING_DATA)|#N\/A N\/A|NULL|null|\(null\)|<null>|\\N|undefined|NaN|\[object Object\])$/
/** Zero-width and control characters, except those that join letters in some scripts. */
const unseen = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200b\u200e\u200f\u202a-\u202e\u2060\ufeff]/g
const oddSpaces = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g
const formulaText = /^="((?:[^"]|"")*)"$/
const special =
  /^[=#N\\(<nu[]|[^\u0020-\u007e\u00a1-\u00ac\u00ae-\u1fff\u3001-\ud7ff\ue000-\ufefe\uff00-\uffff]|^\s|\s$/

/** Removes what a spreadsheet or database added to a cell. */
export function tidyCell(cell: string): string {
  return special.test(cell) ? tidied(cell) : cell
}

function tidied(cell: string): string {
  const text = cell.replace(unseen, '').replace(oddSpaces, ' ').trim()
  const formula = formulaText.exec(text)
  if (formula) return (formula[1] ?? '').replaceAll('""', '"').trim()
  return noValue.test(text) ? '' : text
}

/** Returns what {@link tidyCell} would change visibly in a cell, or null. */
export function tidyChange(cell: string): TidyChange | null {
  if (!special.test(cell)) return null
  const text = cell.trim()
  if (formulaText.test(text)) return 'formula'
  if (noValue.test(text)) return 'no_value'
  if (text.replace(unseen, '').replace(oddSpaces, ' ').trim() !== text) return 'invisible'
  return text === cell ? null : 'spaces'
}

/** The apostrophe with which a spreadsheet keeps a number, postcode or telephone number as text. */
const textMark = /^'(?=[+(]?\d)/

export function hasTextMark(cell: string): boolean {
  return textMark.test(cell)
}

export function withoutTextMark(cell: string): string {
  return hasTextMark(cell) ? cell.slice(1) : cell
}

/** True for a number whose digits a spreadsheet dropped: 4.91512E+12. */
export function hasLostDigits(cell: string): boolean {
  return /^[+-]?\d(?:[.,]\d+)?E\+?\d{1,3}$/i.test(cell)
}

const blankWords =
  /^(?:[-–—.?/]+|n\/?a\.?|n\.\s?a\.|none|nil|unknown|not (?:available|set|given)|no value|k\.?\s?a\.?|keine angabe|unbekannt|leer|\(blank\)|\(leer\)|\(none\)|empty|tba|tbd)$/i

export function isBlankWord(cell: string): boolean {
  return blankWords.test(cell)
}
