/** The meaning of a spreadsheet's number, by its format. */
export type NumberKind = 'number' | 'date' | 'datetime' | 'time' | 'duration'

const builtIn: Record<number, NumberKind> = { 22: 'datetime', 46: 'duration' }
for (const id of [14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58])
  builtIn[id] = 'date'
for (const id of [18, 19, 20, 21, 45, 47]) builtIn[id] = 'time'

/** The kind of a predefined number format. */
export function builtInKind(id: number): NumberKind {
  return builtIn[id] ?? 'number'
}

/** The kind of a number format such as "dd.mm.yyyy". */
export function formatKind(code: string): NumberKind {
  const format = code
    .replaceAll(/"[^"]*"|\\.|_.|\*./g, '')
    .split(';')[0]
    ?.replaceAll(/General/gi, '')
  if (format === undefined) return 'number'
  if (/\[(?:h+|m+|s+)\]/i.test(format)) return 'duration'
  const letters = format.replaceAll(/\[[^\]]*\]/g, '').replaceAll(/AM\/PM|A\/P/gi, 'h')
  const hasTime = /[hs]/i.test(letters)
  if (/[yd]/i.test(letters) || (/m/i.test(letters) && !hasTime)) return hasTime ? 'datetime' : 'date'
  return hasTime ? 'time' : 'number'
}

const dayLength = 86_400_000
/** Days from December 30, 1899 to January 1, 1970. */
const epoch = 25_569
/** Days between the two date systems of workbooks. */
const days1904 = 1462
/** The day after December 31, 9999. */
const lastDay = 2_958_466

/** Formats a spreadsheet's number as date or time; other numbers are returned unchanged. */
export function writeSerial(value: number, kind: NumberKind, is1904: boolean): string {
  if (kind === 'number' || !(value >= 0)) return String(value)
  if (kind === 'duration' || (kind === 'time' && value < 1)) return clock(Math.round(value * 86_400))
  let ms = Math.round(value * dayLength)
  if (is1904) ms += days1904 * dayLength
  // Serial number 60 is February 29, 1900, which never existed; smaller serial numbers are one day too low for this epoch.
  else if (value < 60) ms += dayLength
  else if (value < 61) return String(value)
  if (ms >= lastDay * dayLength) return String(value)
  const iso = new Date(Math.round((ms - epoch * dayLength) / 1000) * 1000).toISOString()
  return ms % dayLength === 0 && kind === 'date' ? iso.slice(0, 10) : iso.slice(0, 19).replace('T', ' ')
}

function clock(seconds: number): string {
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}
