const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterFor(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset', year: 'numeric' })
    formatters.set(timeZone, formatter)
  }
  return formatter
}

/** A time zone of the IANA database, found whatever the case of its letters; null when it has none of that name. */
export function timeZoneNamed(name: string): string | null {
  const wanted = name.trim()
  // Intl also accepts UTC offsets, which are not names in the time zone database.
  if (/^[+-]/.test(wanted)) return null
  try {
    const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: wanted }).resolvedOptions()
    // Intl may return an older name of the zone, so only its spelling in upper and lower case is taken over.
    return timeZone === 'UTC' || timeZone.toLowerCase() === wanted.toLowerCase() ? timeZone : wanted
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

const dayMs = 86_400_000
/** Days to remember per zone: thirty years, more than the times of one list span. */
const daysRemembered = 10_000

/** Per zone: days since 1970 -> the offset of the whole day, or undefined for a day in which it changes. */
const offsetsOfDays = new Map<string, Map<number, number | undefined>>()

/** Minutes that `timeZone` is ahead of UTC at the instant `ms` (UNIX milliseconds). */
export function offsetMinutes(ms: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0
  return offsetOfDay(Math.floor(ms / dayMs), timeZone) ?? computeOffset(ms, timeZone)
}

/** Asking Intl takes five times as long as formatting a time, and the times of a list share few days. */
function offsetOfDay(day: number, timeZone: string): number | undefined {
  let offsets = offsetsOfDays.get(timeZone)
  if (!offsets || offsets.size >= daysRemembered) {
    offsets = new Map()
    offsetsOfDays.set(timeZone, offsets)
  }
  if (!offsets.has(day)) {
    const first = computeOffset(day * dayMs, timeZone)
    const last = computeOffset((day + 1) * dayMs - 1, timeZone)
    offsets.set(day, first === last ? first : undefined)
  }
  return offsets.get(day)
}

function computeOffset(ms: number, timeZone: string): number {
  const name = formatterFor(timeZone)
    .formatToParts(ms)
    .find((part) => part.type === 'timeZoneName')?.value
  const match = /^GMT([+-])(\d\d):(\d\d)/.exec(name ?? '')
  if (!match) return 0
  const minutes = Number(match[2]) * 60 + Number(match[3])
  return match[1] === '-' ? -minutes : minutes
}

/** Several times in a row are often the same: when an import added its subscribers. */
let lastFormatted = { ms: Number.NaN, timeZone: '', text: '' }

/**
 * ISO 8601 in the organization's time zone, `Z` for UTC (docs/api.md, "Requests and answers").
 * @param ms UNIX milliseconds
 */
export function formatTime(ms: number, timeZone: string): string {
  if (ms !== lastFormatted.ms || timeZone !== lastFormatted.timeZone) {
    lastFormatted = { ms, timeZone, text: formatNewTime(ms, timeZone) }
  }
  return lastFormatted.text
}

function formatNewTime(ms: number, timeZone: string): string {
  const offset = offsetMinutes(ms, timeZone)
  const iso = new Date(ms + offset * 60_000).toISOString()
  // In zones ahead of UTC, the last hours of the year 9999 belong to a year with five digits.
  if (iso.length > 24) return formatNewTime(ms, 'UTC')
  const local = iso.slice(0, 19)
  if (timeZone === 'UTC') return `${local}Z`
  const absolute = Math.abs(offset)
  const pad = (value: number): string => String(value).padStart(2, '0')
  return `${local}${offset < 0 ? '-' : '+'}${pad(Math.floor(absolute / 60))}:${pad(absolute % 60)}`
}

/** Like {@link formatTime}; null for null. */
export function formatOptionalTime(ms: number | null, timeZone: string): string | null {
  return ms === null ? null : formatTime(ms, timeZone)
}

/** UNIX seconds of UNIX milliseconds, for the `*_epoch` keys. */
export function epochSeconds(ms: number): number {
  return Math.floor(ms / 1000)
}

/** The instant of a wall clock time in a zone. A time that the zone skips is read as the one an hour later. */
export function instantOf(
  wall: { year: number; month: number; day: number; hour?: number; minute?: number; second?: number },
  timeZone: string
): number {
  const asUtc = Date.UTC(
    wall.year,
    wall.month - 1,
    wall.day,
    wall.hour ?? 0,
    wall.minute ?? 0,
    wall.second ?? 0
  )
  const first = offsetMinutes(asUtc, timeZone)
  const second = offsetMinutes(asUtc - first * 60_000, timeZone)
  const found = asUtc - second * 60_000
  if (offsetMinutes(found, timeZone) === second) return found
  // The zone skips this time. The smaller offset, valid before the clocks went forward, gives the later
  // instant.
  return asUtc - Math.min(first, second) * 60_000
}

/** The day that a calendar in the zone shows at an instant (UNIX milliseconds); months count from 1. */
export function wallClock(ms: number, timeZone: string): { year: number; month: number; day: number } {
  const local = new Date(ms + offsetMinutes(ms, timeZone) * 60_000)
  return { year: local.getUTCFullYear(), month: local.getUTCMonth() + 1, day: local.getUTCDate() }
}

const hourMs = 3_600_000

/** The beginning of the hour that a clock in the zone shows at an instant; both in UNIX milliseconds. */
export function beginningOfHour(ms: number, timeZone: string): number {
  const offset = offsetMinutes(ms, timeZone) * 60_000
  return Math.floor((ms + offset) / hourMs) * hourMs - offset
}
