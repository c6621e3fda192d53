/** What tidying does to a cell. */
export type TidyChange = 'spaces' | 'invisible' | 'formula' | 'no_value'

/** Errors and words that stand for no value, as spreadsheets and databases write them. */
const noValue =
  /^(?:#(?:N\/A|NA|NV|NAME\?|VALUE!|WERT!|REF!|BEZUG!|DIV\/0!|NULL!|NUM!|ZAHL!|FELD!|GETTING_DATA)|#N\/A N\/A|NULL|null|\(null\)|<null>|\\N|undefined|NaN|\[object Object\])$/
/** Zero-width ones and control characters; those that join letters in some scripts stay. */
const unseen = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200b\u200e\u200f\u202a-\u202e\u2060\ufeff]/g
const oddSpaces = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g
const formulaText = /^="((?:[^"]|"")*)"$/
/** What keeps a cell from the quick way out. */
const special =
  /^[=#N\\(<nu[]|[^\u0020-\u007e\u00a1-\u00ac\u00ae-\u1fff\u3001-\ud7ff\ue000-\ufefe\uff00-\uffff]|^\s|\s$/

/** A cell without what a spreadsheet or a database added to it. */
export function tidyCell(cell: string): string {
  return special.test(cell) ? tidied(cell) : cell
}

function tidied(cell: string): string {
  const text = cell.replace(unseen, '').replace(oddSpaces, ' ').trim()
  const formula = formulaText.exec(text)
  if (formula) return (formula[1] ?? '').replaceAll('""', '"').trim()
  return noValue.test(text) ? '' : text
}

/** What {@link tidyCell} changes of a cell, for the list of what it would do; null for nothing that a person would miss. */
export function tidyChange(cell: string): TidyChange | null {
  if (!special.test(cell)) return null
  const text = cell.trim()
  if (formulaText.test(text)) return 'formula'
  if (noValue.test(text)) return 'no_value'
  if (text.replace(unseen, '').replace(oddSpaces, ' ').trim() !== text) return 'invisible'
  return text === cell ? null : 'spaces'
}

/** A mark by which a spreadsheet keeps a number, a postcode or a telephone number as text: the apostrophe before it. */
const textMark = /^'(?=[+(]?\d)/

export function hasTextMark(cell: string): boolean {
  return textMark.test(cell)
}

export function withoutTextMark(cell: string): string {
  return hasTextMark(cell) ? cell.slice(1) : cell
}

/** A number of which a spreadsheet has thrown digits away: 4.91512E+12. */
export function hasLostDigits(cell: string): boolean {
  return /^[+-]?\d(?:[.,]\d+)?E\+?\d{1,3}$/i.test(cell)
}

/** Words that people write where they have no value. */
const blankWords =
  /^(?:[-–—.?/]+|n\/?a\.?|n\.\s?a\.|none|nil|unknown|not (?:available|set|given)|no value|k\.?\s?a\.?|keine angabe|unbekannt|leer|\(blank\)|\(leer\)|\(none\)|empty|tba|tbd)$/i

export function isBlankWord(cell: string): boolean {
  return blankWords.test(cell)
}
