// How numbers, times and sizes are written in the window, in the language of the user's system.

const numbers = new Intl.NumberFormat()
const compactNumbers = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const dateTimes = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const timesOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

export function formatNumber(value: number): string {
  return numbers.format(value)
}

/** In little space: 1M for 1,004,990. */
export function formatCompact(value: number): string {
  return value < 10_000 ? formatNumber(value) : compactNumbers.format(value)
}

/** @param time ISO 8601 */
export function formatDateTime(time: string): string {
  return dateTimes.format(new Date(time))
}

/** @param time ISO 8601 */
export function formatTimeOfDay(time: string): string {
  return timesOfDay.format(new Date(time))
}

/** @param time ISO 8601 */
export function formatDay(time: string): string {
  return days.format(new Date(time))
}

const plainDays = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const daysOfYear = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** A date without a time, which is the same day in every zone. @param day YYYY-MM-DD */
export function formatPlainDay(day: string): string {
  return plainDays.format(new Date(`${day}T00:00:00Z`))
}

/** @param day MM-DD */
export function formatDayOfYear(day: string): string {
  // 2000 is a leap year.
  return daysOfYear.format(new Date(`2000-${day}T00:00:00Z`))
}

/** Seconds as "< 1 s", "8 s", "3 min 5 s" or "2 h 10 min". */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole === 0) return '< 1 s'
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const value = bytes / 1000 ** power
  return `${value.toLocaleString(undefined, { maximumFractionDigits: power === 0 ? 0 : 1 })} ${units[power]}`
}

const shares = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })

/** A rate from 0 to 1 as a percentage: 36.7% */
export function formatShare(rate: number): string {
  return shares.format(rate)
}
