const total =
  /^(?:grand\s+|sub-?)?(?:total|totals|sum|summe|gesamt|gesamtsumme|insgesamt|zwischensumme|anzahl|count|somme|totale|suma)\b[\s:]*(?:\d[\d.,]*)?$/i

/** True if a cell begins a line of totals below a table. */
export function isTotal(cell: string): boolean {
  return total.test(cell.trim())
}
