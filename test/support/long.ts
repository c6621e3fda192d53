/**
 * The form of tests. `npm run test:long` sets LONG=true for more rounds and larger data; `.ci/run` sets LONG
 * to 0, 1 or 2 by its commit for a third of the long form.
 */
const form = process.env['LONG'] ?? 'short'

const third = /^[012]$/.test(form) ? Number(form) : null

export const isLong = form === 'true' || third !== null

/** True if the test or item with this index belongs to the form that runs; a third takes every third one. */
export function isInTurn(index: number): boolean {
  return third === null ? isLong : index % 3 === third
}

/**
 * Returns the size of a test: the long one in the long form, and in one third.
 * @param turn of that third: all three should take about as long. The first one has the window's tests in the larger window
 */
export function shortOrLong(short: number, long: number, turn: 1 | 2): number {
  return isInTurn(turn) ? long : short
}

/** Returns how many random rounds a test makes: a third of the long ones in each third. */
export function roundsToRun(short: number, long: number): number {
  if (!isLong) return short
  return third === null ? long : Math.max(short, Math.ceil(long / 3))
}
