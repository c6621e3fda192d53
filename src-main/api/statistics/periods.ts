import { isTime, parseTimeInput, timeComplaint } from '../../base/dates.ts'
import { validationFailed } from '../../base/errors.ts'
import { refusal, refusalAt } from '../../base/refusal.ts'
import { instantOf, wallClock } from '../../base/times.ts'
import type { Period } from './queries.ts'

/** Months count from 1. */
type Day = ReturnType<typeof wallClock>

/**
 * Parses a time in UNIX milliseconds.
 * @throws ApiError validation_failed with the parameter's name
 */
export function readTime(
  name: string,
  given: string | number | undefined,
  timeZone: string
): number | undefined {
  if (given === undefined) return undefined
  const time = parseTimeInput(given, timeZone)
  if (time === null) throw validationFailed(refusalAt(name, timeComplaint(given)))
  return time
}

interface DayRange {
  start_date?: string | undefined
  end_date?: string | undefined
}

/**
 * Returns the days of a report (docs/api.md, "Statistics"): by default from the first day two months ago to
 * the end of this month.
 * @param now UNIX milliseconds
 * @throws ApiError validation_failed
 */
export function readDays({ start_date, end_date }: DayRange, timeZone: string, now: number): Period {
  const today = wallClock(now, timeZone)
  const from = readDay('start_date', start_date) ?? { ...today, month: today.month - 2, day: 1 }
  const last = readDay('end_date', end_date) ?? { ...today, month: today.month + 1, day: 0 }
  const period = {
    from: instantOf(from, timeZone),
    before: instantOf({ ...last, day: last.day + 1 }, timeZone)
  }
  if (period.before <= period.from)
    throw validationFailed(refusal('after', { field: 'start_date', other: 'end_date' }))
  return period
}

function readDay(name: string, given: string | undefined): Day | undefined {
  if (given === undefined) return undefined
  const [, year, month, day] = (/^(\d{4})(\d\d)(\d\d)$/.exec(given) ?? []).map(Number)
  if (year !== undefined && month !== undefined && day !== undefined) {
    const date = new Date(Date.UTC(year, month - 1, day))
    const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
    if (isDay && date.getUTCFullYear() === year && isTime(date.getTime())) return { year, month, day }
  }
  throw validationFailed(refusal('day', { field: name, example: '20140131' }))
}

/** Returns the day or month in a zone that contains an instant. */
export function periodAround(ms: number, unit: 'daily' | 'monthly', timeZone: string): Period {
  const { year, month, day } = wallClock(ms, timeZone)
  return unit === 'daily'
    ? {
        from: instantOf({ year, month, day }, timeZone),
        before: instantOf({ year, month, day: day + 1 }, timeZone)
      }
    : {
        from: instantOf({ year, month, day: 1 }, timeZone),
        before: instantOf({ year, month: month + 1, day: 1 }, timeZone)
      }
}
