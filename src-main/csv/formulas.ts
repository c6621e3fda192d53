// Spreadsheets execute cells that look like a formula. An apostrophe before such a cell makes it a text, and is taken away
// again by an import that is told so.

const sign = '[=+\\-@＝＋－＠]'
/**
 * A cell that begins like a formula, also where the file is read with another separator than it was written with: `a;=1`
 * is two cells then.
 */
const formula = new RegExp(`^[\\t\\r]|(?:^|[,;|\\t\\r\\n]["']?)${sign}`)
/** A number is what it is, whatever its sign. */
const plainNumber = /^[+-]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?\s?%?$/

function isFormula(cell: string): boolean {
  return formula.test(cell) && !plainNumber.test(cell)
}

/** A cell that looks like one that was escaped, so that it has to be escaped as well to be told from it. */
function isEscaped(cell: string): boolean {
  return cell.startsWith("'") && isFormula(cell.replace(/^'+/, ''))
}

/** A cell as a spreadsheet shows it without executing it. */
export function escapeFormula(cell: string): string {
  return isFormula(cell) || isEscaped(cell) ? `'${cell}` : cell
}

/** What {@link escapeFormula} was given. */
export function unescapeFormula(cell: string): string {
  return isEscaped(cell) ? cell.slice(1) : cell
}

/** Whether cells seem to have been escaped: some were, and none that would have had to be was not. */
export function seemsEscaped(cells: readonly string[]): boolean {
  // An escaped cell may hold a separator with a sign behind it, and looks like a formula itself.
  return cells.some(isEscaped) && !cells.some((cell) => isFormula(cell) && !isEscaped(cell))
}
