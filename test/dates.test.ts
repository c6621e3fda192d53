import { expect, it } from 'vitest'
import { isoDay, parseDate, parseMonthDay, parseTimeInput, timeComplaint } from '../src-main/base/dates.ts'

it.each([
  ['2015-01-22 11:10AM CST', '2015-01-22T17:10:00Z'],
  ['2015-06-29 3:11PM', '2015-06-29T13:11:00Z'],
  ['2015-06-29 3:11PM PDT', '2015-06-29T22:11:00Z'],
  ['2015-03-09T10:34:04-05:00', '2015-03-09T15:34:04Z'],
  ['2015-03-09T10:34:04Z', '2015-03-09T10:34:04Z'],
  ['1425912844', '2015-03-09T14:54:04Z']
])('a time of a request may be %s; without a zone it is in the organization’s', (text, instant) => {
  expect(parseTimeInput(text, 'Europe/Vienna')).toBe(Date.parse(instant))
})

it.each(['soon', '2015-02-30', '2015-06-29 3:11PM MARS', '0075-06-29', '0099-12-31 10:00'])(
  '%s is no time',
  (text) => {
    expect(parseTimeInput(text, 'UTC')).toBeNull()
  }
)

it.each([
  ['2026-2-3 10:7AM EST', '2026-02-03T15:07:00Z'],
  ['2026-02-03 10:07 NZDT', '2026-02-02T21:07:00Z'],
  ['2026-02-03 10:07 IST', '2026-02-03T04:37:00Z'],
  ['2026-02-03 10:07 AKST', '2026-02-03T19:07:00Z'],
  ['2026-02-03 10:07 +04', '2026-02-03T06:07:00Z'],
  ['2026-02-03 10:07 -0330', '2026-02-03T13:37:00Z'],
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  [0, '1970-01-01T00:00:00Z'],
  [10 ** 11, '5138-11-16T09:46:40Z']
] as const)('clients write %s for a time', (input, instant) => {
  expect(parseTimeInput(input, 'UTC')).toBe(Date.parse(instant))
})

it.each([
  ['1969-12-31T23:59:59Z', 'must be in the years 1970 to 9999'],
  ['0050-01-01', 'must be in the years 1970 to 9999'],
  ['9999-12-31T23:59:59-05:00', 'must be in the years 1970 to 9999'],
  [-1, 'must be in the years 1970 to 9999'],
  [-(10 ** 11), 'must be in the years 1970 to 9999'],
  [10 ** 11 + 1, 'must be a UNIX time in seconds, and this one seems to be in milliseconds or microseconds'],
  [
    '1795325443000000',
    'must be a UNIX time in seconds, and this one seems to be in milliseconds or microseconds'
  ]
] as const)('%s is refused, and why is told', (input, complaint) => {
  expect(parseTimeInput(input, 'UTC')).toBeNull()
  expect(timeComplaint(input)).toBe(complaint)
})

it(
  'a text that only looks like a time is refused as quickly as any, however long it is',
  { timeout: 5000 },
  () => {
    const text = `2014-01-31 10:00${' '.repeat(100_000)}x`
    expect(parseTimeInput(text, 'UTC')).toBeNull()
    expect(timeComplaint(text)).toMatch(/^must be an ISO 8601 time/)
  }
)

it.each([
  ['03/04/2014', 'mdy', '2014-03-04'],
  ['03/04/2014', 'dmy', '2014-04-03'],
  ['13/04/2014', 'mdy', null],
  ['13/04/2014', 'dmy', '2014-04-13'],
  ['2014-03-04', 'dmy', '2014-03-04'],
  // The character after 9 is a colon.
  ['2014-0:-04', 'mdy', null],
  ['2014-03-0/', 'mdy', null],
  ['March 4, 2014', 'dmy', '2014-03-04']
] as const)('the date %s with the order %s is %s', (text, order, day) => {
  const read = parseDate(text, order)
  expect(read && isoDay(read)).toBe(day)
})

it.each([
  ['03/04', 'mdy', { month: 3, day: 4 }],
  ['03/04', 'dmy', { month: 4, day: 3 }],
  ['02/29', 'mdy', { month: 2, day: 29 }],
  ['02/30', 'mdy', null]
] as const)('the day of the year %s with the order %s', (text, order, day) => {
  expect(parseMonthDay(text, order)).toEqual(day)
})
