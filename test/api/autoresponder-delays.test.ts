import { expect, it } from 'vitest'
import { dueAt } from '../../src-main/api/autoresponders/rules.ts'

/** A quarter past ten in Vienna, on the last day of January. */
const now = Date.parse('2026-01-31T10:15:00+01:00')

it.each([
  [{ delay_unit: 'minutes', delay_amount: 3 }, '2026-01-31T10:18:00+01:00'],
  [{ delay_unit: 'hours', delay_amount: 3 }, '2026-01-31T13:15:00+01:00'],
  // Days and longer end at the hour of delay_time.
  [{ delay_unit: 'days', delay_amount: 3 }, '2026-02-03T08:00:00+01:00'],
  [{ delay_unit: 'weeks', delay_amount: 3 }, '2026-02-21T08:00:00+01:00'],
  // February has no 31st; March the 31st is in summer time.
  [{ delay_unit: 'months', delay_amount: 1 }, '2026-02-28T08:00:00+01:00'],
  [{ delay_unit: 'months', delay_amount: 2 }, '2026-03-31T08:00:00+02:00'],
  // That hour of today is over.
  [{ delay_unit: 'days', delay_amount: 0 }, '2026-01-31T10:15:00+01:00']
] as const)('the message of an autoresponder with the delay %j is due at %s', (delay, due) => {
  const at = dueAt({ delay: 'with_delay', delay_time: 8, ...delay }, now, 'Europe/Vienna')
  expect(new Date(at).toISOString()).toBe(new Date(due).toISOString())
})

it('the message of an autoresponder without a delay is due at once', () => {
  const delay = { delay: 'immediately', delay_unit: 'days', delay_amount: 3, delay_time: 8 } as const
  expect(dueAt(delay, now, 'Europe/Vienna')).toBe(now)
})
