import { shallowRef } from 'vue'
import { instantOf, offsetMinutes } from '../src-main/base/times.ts'
import { locale } from './language.ts'

// How numbers, times and sizes are written in the window.

const numbers = new Intl.NumberFormat(locale)
const compactNumbers = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })

function formatsIn(timeZone: string | undefined) {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone })
  return {
    timeZone: timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
    dateTime: format({ dateStyle: 'medium', timeStyle: 'short' }),
    timeOfDay: format({ timeStyle: 'medium' }),
    day: format({ dateStyle: 'medium' })
  }
}

/** Times are shown in the zone of the user or the organization, as the API answers them; until that is known, in this computer's. */
const times = shallowRef(formatsIn(undefined))

/** @param timeZone of the IANA database */
export function showTimesIn(timeZone: string): void {
  if (timeZone !== times.value.timeZone) times.value = formatsIn(timeZone)
}

export function shownTimeZone(): string {
  return times.value.timeZone
}

export function formatNumber(value: number): string {
  return numbers.format(value)
}

const changes = new Intl.NumberFormat(locale, { signDisplay: 'exceptZero' })

/** A signed change: +120, −3 or 0. */
export function formatChange(value: number): string {
  return changes.format(value)
}

/** An amount of time: 1 day, 3 months. */
export function formatDelay(amount: number, unit: 'minutes' | 'hours' | 'days' | 'weeks' | 'months'): string {
  const options = { style: 'unit', unit: unit.slice(0, -1), unitDisplay: 'long' } as const
  return new Intl.NumberFormat(locale, options).format(amount)
}

/** A short form: 1M for 1,004,990. */
export function formatCompact(value: number): string {
  return value < 10_000 ? formatNumber(value) : compactNumbers.format(value)
}

/** @param time ISO 8601 */
export function formatDateTime(time: string): string {
  return times.value.dateTime.format(new Date(time))
}

/** A period between two ISO 8601 times: Nov 26, 2026, 5:43 – 5:48 PM; a single time within one minute. */
export function formatPeriod(from: string, to: string): string {
  return times.value.dateTime.formatRange(new Date(from), new Date(to))
}

/** @param time ISO 8601 */
export function formatTimeOfDay(time: string): string {
  return times.value.timeOfDay.format(new Date(time))
}

/** @param time ISO 8601 */
export function formatDay(time: string): string {
  return times.value.day.format(new Date(time))
}

/** UNIX milliseconds as an input of the type datetime-local has them: YYYY-MM-DDTHH:MM in the zone that is shown. */
export function inputOfInstant(ms: number): string {
  return new Date(ms + offsetMinutes(ms, shownTimeZone()) * 60_000).toISOString().slice(0, 16)
}

/** The other way round. @returns UNIX milliseconds */
export function instantOfInput(text: string): number {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = text.split(/\D/).map(Number)
  return instantOf({ year, month, day, hour, minute }, shownTimeZone())
}

const plainDays = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
const daysOfYear = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' })

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

/** Seconds, rounded up to the unit that people would say: "5 minutes", "3 hours" or "4 days". */
export function formatLongDuration(seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60))
  if (minutes < 120) return formatDelay(minutes, 'minutes')
  const hours = Math.ceil(minutes / 60)
  return hours < 48 ? formatDelay(hours, 'hours') : formatDelay(Math.ceil(hours / 24), 'days')
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const value = bytes / 1000 ** power
  return `${value.toLocaleString(locale, { maximumFractionDigits: power === 0 ? 0 : 1 })} ${units[power]}`
}

const shares = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })

/** A rate from 0 to 1 as a percentage: 36.7% */
export function formatShare(rate: number): string {
  return shares.format(rate)
}
