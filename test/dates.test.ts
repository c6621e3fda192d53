import { expect, it } from 'vitest'
import { parseTimeInput } from '../src-main/dates.ts'

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

it.each(['soon', '2015-02-30', '2015-06-29 3:11PM MARS'])('%s is no time', (text) => {
  expect(parseTimeInput(text, 'UTC')).toBeNull()
})
