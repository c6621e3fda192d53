/** Whether tests take their long form, as `npm run test:long` has them: more rows, more moments to be killed at. */
export const isLong = process.env['LONG'] === 'true'

/** What a test that has two forms works with. */
export function shortOrLong(short: number, long: number): number {
  return isLong ? long : short
}
