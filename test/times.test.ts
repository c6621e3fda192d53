import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatTime, offsetMinutes } from '../src-main/base/times.ts'

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
