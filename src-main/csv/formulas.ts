// Spreadsheets execute cells that look like a formula. An apostrophe before such a cell makes it text; an
// import with the corresponding setting removes it.

const sign = '[=+\\-@＝＋－＠]'
/**
 * A cell that begins like a formula, also where the file is read with another separator than it was written with: `a;=1`
 * is two cells then.
 */
const formula = new RegExp(`^[\\t\\r]|(?:^|[,;|\\t\\r\\n]["']?)${sign}`)
const plainNumber = /^[+-]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?\s?%?$/

function isFormula(cell: string): boolean {
  return formula.test(cell) && !plainNumber.test(cell)
}

/** True for a cell that looks escaped, so that it must be escaped as well. */
function isEscaped(cell: string): boolean {
  return cell.startsWith("'") && isFormula(cell.replace(/^'+/, ''))
}

/** A cell as a spreadsheet shows it without executing it. */
export function escapeFormula(cell: string): string {
  return isFormula(cell) || isEscaped(cell) ? `'${cell}` : cell
}

/** Reverts {@link escapeFormula}. */
export function unescapeFormula(cell: string): string {
  return isEscaped(cell) ? cell.slice(1) : cell
}

/** True if cells were probably escaped: some are, and none that would need it is not. */
export function seemsEscaped(cells: readonly string[]): boolean {
  // An escaped cell may hold a separator with a sign behind it, and looks like a formula itself.
  return cells.some(isEscaped) && !cells.some((cell) => isFormula(cell) && !isEscaped(cell))
}
