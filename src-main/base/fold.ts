/**
 * Converts a text to the form that searches compare: lower case, without accents, so that "strasse" finds "Straße" and "muller"
 * finds "Müller".
 */
export function foldText(text: string): string {
  // Most texts are ASCII, for which lower case is enough.
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase()
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')
}
