/**
 * A text as it is compared where people search: without upper case and accents, so that "strasse" finds "Straße" and
 * "muller" finds "Müller".
 */
export function fold(text: string): string {
  const lower = text.toLowerCase()
  // Most texts hold ASCII alone.
  if (/^[\x20-\x7e]*$/.test(lower)) return lower
  return lower.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('ß', 'ss')
}
