import { expect, it } from 'vitest'
import {
  dateExamples,
  dayIn,
  isTime,
  isoDay,
  monthDay,
  parseDate,
  parseMonthDay,
  parseTimeInput,
  shiftedDay,
  timeComplaint
} from '../src-main/base/dates.ts'
import { complaint } from '../src-main/base/refusal.ts'
import { textOf } from './support/refusals.ts'

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
] as const)('%s is not a time', (input, complaint) => {
  expect(parseTimeInput(input, 'UTC')).toBeNull()
  expect(textOf(timeComplaint(input))).toBe(complaint)
})

it('a text that only resembles a time is refused quickly, however long it is', { timeout: 5000 }, () => {
  const text = `2014-01-31 10:00${' '.repeat(100_000)}x`
  expect(parseTimeInput(text, 'UTC')).toBeNull()
  expect(textOf(timeComplaint(text))).toMatch(/^must be an ISO 8601 time/)
})

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
  ['02/30', 'mdy', null],
  ['1/2', 'mdy', { month: 1, day: 2 }],
  ['12-31', 'mdy', { month: 12, day: 31 }],
  ['13-01', 'mdy', null],
  ['00-01', 'mdy', null],
  ['01-00', 'mdy', null],
  ['04-31', 'mdy', null],
  ['May 1', 'mdy', null]
] as const)('the day of the year %s with the order %s', (text, order, day) => {
  expect(parseMonthDay(text, order)).toEqual(day)
})

it.each([
  ['2024-02-29', true],
  ['2023-02-29', false],
  ['2023-02-28', true],
  ['2000-02-29', true],
  ['1900-02-29', false],
  ['2024-01-30', true],
  ['2024-04-31', false],
  ['2024-01-00', false],
  ['2024-00-10', false],
  ['2024-13-10', false],
  ['0001-01-01', true],
  ['0000-01-01', false],
  ['9999-12-31', true],
  ['2024-01-01 23:59:59', true],
  ['2024-01-01 24:00', false],
  ['2024-01-01 23:60', false],
  ['2024-01-01 23:59:60', false],
  ['2024-02-30 10:00', false],
  ['2024-01-01 1:00am', true],
  ['2024-01-01 0:30am', false],
  ['2024-01-01 13:00pm', false],
  ['Jan 31 2024', true],
  ['31 Dec., 2024', true],
  ['Mayday 1, 2024', false],
  ['2014/03/04', false],
  ['12345-67-8', false],
  ['2024-03404', false],
  [`2024-01-01${' '.repeat(84)}10:00Z`, true],
  [`2024-01-01${' '.repeat(85)}10:00Z`, false]
])('whether "%s" is a date: %s', (text, is) => {
  expect(parseDate(text, 'mdy') !== null).toBe(is)
})

it.each([
  ['March 4, 2014', { hour: 0, minute: 0, second: 0, offset: null }],
  ['2014-03-04 12:00am', { hour: 0, minute: 0, second: 0, offset: null }],
  ['2014-03-04 12:34PM', { hour: 12, minute: 34, second: 0, offset: null }],
  ['2014-03-04 11:34:56.789pm', { hour: 23, minute: 34, second: 56, offset: null }],
  ['2014-03-04 5:06 +0545', { hour: 5, minute: 6, second: 0, offset: 345 }],
  ['2014-03-04 5:06 -03:30', { hour: 5, minute: 6, second: 0, offset: -210 }],
  ['2014-03-04 5:06 nst', { hour: 5, minute: 6, second: 0, offset: -210 }],
  ['2014-03-04 5:06z', { hour: 5, minute: 6, second: 0, offset: 0 }]
])('the clock of %s', (text, clock) => {
  expect(parseDate(text, 'mdy')).toEqual({ year: 2014, month: 3, day: 4, ...clock })
})

it("a refused date gets examples in the organization's order", () => {
  expect(textOf(complaint('date', dateExamples('mdy')))).toBe(
    'must be a date such as 2014-01-31, 01/31/2014 or January 31, 2014'
  )
  expect(textOf(complaint('date', dateExamples('dmy')))).toBe(
    'must be a date such as 2014-01-31, 31/01/2014 or January 31, 2014'
  )
})

it('times are in the years 1970 to 9999', () => {
  const [first, after] = [0, Date.UTC(10_000, 0, 1)]
  expect([first - 1, first, after - 1, after].map(isTime)).toEqual([false, true, true, false])
})

it('the year 100 is not read as 1900 or 2000, and is too early for a timestamp', () => {
  expect(parseTimeInput('0100-01-01', 'UTC')).toBeNull()
  expect(parseTimeInput(' 1425912844 ', 'UTC')).toBe(1_425_912_844_000)
})

it('days are counted over months and years', () => {
  expect(shiftedDay('2024-02-28', 1)).toBe('2024-02-29')
  expect(shiftedDay('2024-01-01', -1)).toBe('2023-12-31')
  expect(dayIn(Date.parse('2026-12-31T23:30:00Z'), 'Europe/Vienna')).toBe('2027-01-01')
  expect(isoDay({ year: 9, month: 9, day: 10 })).toBe('0009-09-10')
  expect(monthDay({ month: 10, day: 9 })).toBe('10-09')
})

it.each([
  ['20271124T090000Z', '2027-11-24T09:00:00Z'],
  ['20271124T090000+0100', '2027-11-24T08:00:00Z'],
  ['20271124T0900', '2027-11-24T08:00:00Z'],
  ['Wed, 24 Nov 2027 09:00:00 +0000', '2027-11-24T09:00:00Z'],
  ['24 Nov 2027 09:00 GMT', '2027-11-24T09:00:00Z'],
  ['Wed, 24 Nov 2027 04:00:00 EST', '2027-11-24T09:00:00Z'],
  ['Wed, 24 Nov 2027 09:00:00 +0000 (UTC)', '2027-11-24T09:00:00Z']
])('a request may write the time %s', (text, instant) => {
  expect(parseTimeInput(text, 'Europe/Vienna')).toBe(Date.parse(instant))
})

it.each(['20271324T090000Z', '20271124T250000Z', 'Wed, 31 Nov 2027 09:00:00 +0000', 'Wed, '])(
  'a text that only resembles such a time is refused: %s',
  (text) => {
    expect(parseTimeInput(text, 'UTC')).toBeNull()
  }
)
