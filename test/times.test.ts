import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  beginningOfHour,
  epochSeconds,
  formatOptionalTime,
  formatTime,
  instantOf,
  offsetMinutes,
  timeZoneNamed,
  wallClock
} from '../src-main/base/times.ts'

/** Zones with changes at midnight, by half an hour, at a minute past midnight, and with a day that never was. */
const zones = [
  'Europe/Vienna',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Casablanca',
  'Asia/Kathmandu'
]

/** The wall clock as Intl writes it, e.g. 2026-11-21 17:33:11. */
function wallClockByIntl(ms: number, timeZone: string): string {
  return new Date(ms).toLocaleString('sv-SE', { timeZone })
}

it('a time is the wall clock of its zone at every instant, also on the days when clocks change', () => {
  const first = Date.UTC(1975, 0)
  const instants = fc.integer({ min: 0, max: Date.UTC(2038, 0) - first }).map((ms) => first + ms)
  fc.assert(
    fc.property(fc.constantFrom(...zones), instants, (timeZone, ms) => {
      const written = formatTime(ms, timeZone)
      expect(written.slice(0, 19).replace('T', ' ')).toBe(wallClockByIntl(ms, timeZone))
      expect(Date.parse(written)).toBe(Math.floor(ms / 1000) * 1000)
    }),
    { numRuns: 2000 }
  )
})

it.each([
  ['2026-03-29T00:59:59Z', 'Europe/Vienna', 60],
  ['2026-03-29T01:00:00Z', 'Europe/Vienna', 120],
  ['2026-10-25T00:59:59Z', 'Europe/Vienna', 120],
  ['2026-10-25T01:00:00Z', 'Europe/Vienna', 60],
  ['2011-12-30T09:59:59Z', 'Pacific/Apia', -600],
  ['2011-12-30T10:00:00Z', 'Pacific/Apia', 840]
])('the offset changes at the very second: %s in %s is %d minutes ahead', (instant, timeZone, offset) => {
  expect(offsetMinutes(Date.parse(instant), timeZone)).toBe(offset)
})

it.each([
  ['UTC', '2026-01-02T03:04:05Z'],
  ['Asia/Kathmandu', '2026-01-02T08:49:05+05:45'],
  ['America/St_Johns', '2026-01-01T23:34:05-03:30']
])('a time in %s is written %s', (timeZone, written) => {
  expect(formatTime(Date.UTC(2026, 0, 2, 3, 4, 5), timeZone)).toBe(written)
  expect(formatOptionalTime(Date.UTC(2026, 0, 2, 3, 4, 5), timeZone)).toBe(written)
  expect(formatOptionalTime(null, timeZone)).toBeNull()
})

it('the last hours of the year 9999 are written in UTC if they belong to the next year in the zone', () => {
  const last = Date.UTC(9999, 11, 31, 23, 30)
  expect(formatTime(last, 'Europe/Vienna')).toBe('9999-12-31T23:30:00Z')
  expect(formatTime(last, 'America/New_York')).toBe('9999-12-31T18:30:00-05:00')
})

it('the seconds of a time are whole', () => {
  expect(epochSeconds(1999)).toBe(1)
})

it.each([
  ['UTC', 'UTC'],
  ['utc', 'UTC'],
  [' europe/vienna ', 'Europe/Vienna'],
  ['US/Pacific', 'US/Pacific'],
  ['+05:00', null],
  ['-05:00', null],
  ['Mars/Olympus', null],
  ['', null]
])('the time zone named "%s" is %s', (name, zone) => {
  expect(timeZoneNamed(name)).toBe(zone)
})

const vienna = 'Europe/Vienna'

it.each([
  [{ year: 2026, month: 7, day: 1 }, vienna, '2026-06-30T22:00:00Z'],
  [{ year: 2026, month: 1, day: 1, hour: 10, minute: 20, second: 30 }, vienna, '2026-01-01T09:20:30Z'],
  [{ year: 2026, month: 1, day: 1, hour: 10, minute: 20, second: 30 }, 'UTC', '2026-01-01T10:20:30Z'],
  [{ year: 2026, month: 7, day: 1, hour: 23 }, 'America/New_York', '2026-07-02T03:00:00Z'],
  // Skipped: the clocks go from two to three.
  [{ year: 2026, month: 3, day: 29, hour: 1, minute: 59 }, vienna, '2026-03-29T00:59:00Z'],
  [{ year: 2026, month: 3, day: 29, hour: 2, minute: 30 }, vienna, '2026-03-29T01:30:00Z'],
  [{ year: 2026, month: 3, day: 29, hour: 3 }, vienna, '2026-03-29T01:00:00Z'],
  [{ year: 2026, month: 3, day: 8, hour: 2, minute: 30 }, 'America/New_York', '2026-03-08T07:30:00Z']
])('what a clock shows at %j in %s was at %s', (wall, timeZone, instant) => {
  expect(new Date(instantOf(wall, timeZone)).toISOString()).toBe(instant.replace('Z', '.000Z'))
})

it('a calendar shows the day of its zone', () => {
  const instant = Date.parse('2026-12-31T23:30:00Z')
  expect(wallClock(instant, 'UTC')).toEqual({ year: 2026, month: 12, day: 31 })
  expect(wallClock(instant, vienna)).toEqual({ year: 2027, month: 1, day: 1 })
  expect(wallClock(Date.parse('2026-03-01T02:00:00Z'), 'America/New_York')).toEqual({
    year: 2026,
    month: 2,
    day: 28
  })
})

it.each([
  ['UTC', '2026-01-02T03:00:00Z'],
  ['Asia/Kathmandu', '2026-01-02T03:15:00Z'],
  ['America/St_Johns', '2026-01-02T03:30:00Z']
])('the hour of a time in %s begins at %s', (timeZone, beginning) => {
  const instant = Date.parse('2026-01-02T03:59:59.999Z')
  expect(beginningOfHour(instant, timeZone)).toBe(Date.parse(beginning))
  expect(beginningOfHour(Date.parse(beginning), timeZone)).toBe(Date.parse(beginning))
})
