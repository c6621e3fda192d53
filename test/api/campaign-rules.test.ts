import { expect, it } from 'vitest'
import { dueAt, replacementKeyFault } from '../../src-main/api/autoresponders/rules.ts'
import {
  checkContent,
  contentsGiven,
  customHeaderComplaints,
  customHeaders,
  delayMs,
  mergeContent,
  partsLacking,
  winnerOf
} from '../../src-main/api/campaigns/rules.ts'
import type { ContentInput } from '../../src-main/api/campaigns/schema.ts'
import { readDays, readTime } from '../../src-main/api/statistics/periods.ts'
import {
  noCounters,
  reportedStatistics,
  sumCounters,
  summaryOf
} from '../../src-main/api/statistics/rules.ts'
import type { Counters } from '../../src-main/api/statistics/schema.ts'
import { Faults } from '../../src-main/base/errors.ts'
import { englishOf } from '../../src-main/base/refusal.ts'
import { textOf } from '../support/refusals.ts'

const counted = (counters: Partial<Counters>): Counters => ({ ...noCounters(), ...counters })

it.each<[ContentInput, string]>([
  [{}, 'html'],
  [{ html: '<p>a' }, 'html'],
  [{ text: 'a' }, 'text'],
  [{ html: '<p>a', text: 'a' }, 'both'],
  [{ html: '<p>a', text: 'a', format: 'text' }, 'text']
])('a new content with %j has the format %s', (given, format) => {
  expect(mergeContent(null, given, 2)).toEqual({
    name: 'Content 2',
    subject: '',
    html: given.html ?? '',
    text: given.text ?? '',
    format
  })
})

it('a content keeps its name and everything else that a request leaves out', () => {
  const before = { name: 'A', subject: 'S', format: 'both' as const, html: 'h', text: 't' }
  expect(mergeContent(before, {}, 1)).toEqual(before)
  expect(mergeContent(before, { name: ' ', text: '', subject: '' }, 1)).toEqual({
    ...before,
    text: '',
    subject: ''
  })
  expect(mergeContent(before, { name: ' B ' }, 1).name).toBe('B')
})

it('contents are read from contents, campaign_contents_attributes and template_contents_attributes', () => {
  const nested = [{ id: 3, content_attributes: { subject: 'S' } }]
  expect(contentsGiven({})).toBeUndefined()
  expect(contentsGiven({ contents: [{ subject: 'S' }] })).toEqual([{ subject: 'S' }])
  expect(contentsGiven({ campaign_contents_attributes: nested })).toEqual([{ id: 3, subject: 'S' }])
  expect(contentsGiven({ template_contents_attributes: nested })).toEqual([{ id: 3, subject: 'S' }])
})

it("a blank subject, HTML or text is reported as missing if the content's format requires it", () => {
  const blank = { name: 'A', subject: ' ', html: '', text: '\n' }
  expect(partsLacking({ ...blank, format: 'both' })).toEqual(['subject', 'html', 'text'])
  expect(partsLacking({ ...blank, format: 'html' })).toEqual(['subject', 'html'])
  expect(partsLacking({ ...blank, format: 'text' })).toEqual(['subject', 'text'])
  expect(partsLacking({ ...blank, format: 'text', subject: 'S', text: 't' })).toEqual([])
  const faults = new Faults()
  checkContent({ ...blank, format: 'html' }, 1, faults)
  expect(faults.refusal?.message).toBe(
    'contents.1.subject cannot be blank, contents.1.html cannot be blank when the format is html'
  )
})

it('faulty header lines are named by line; folded lines belong to the previous one', () => {
  const text =
    'X-Team: Blue\r\n  and Green\n\nno colon\n: nameless\nX Y: z\nContent-Type: text/plain\nFROM: a\n\tb'
  expect(customHeaders(text)).toEqual([{ name: 'X-Team', value: 'Blue and Green' }])
  const form = 'must be a name, a colon and a value, such as X-Team: Blue'
  expect(customHeaderComplaints(text).map(textOf)).toEqual([
    `line 4 ${form}`,
    `line 5 ${form}`,
    `line 6 ${form}`,
    'line 7 must not be Content-Type, which each message has of its own',
    'line 8 must not be FROM, which each message has of its own'
  ])
  expect(customHeaderComplaints(' X-Team: Blue')).toEqual([])
  expect(customHeaders(' folded\nX-A: b')).toEqual([{ name: 'X-A', value: 'b' }])
})

it.each([
  [30, 'minutes', 1_800_000],
  [2, 'hours', 7_200_000],
  [1, 'days', 86_400_000],
  [5, null, 300_000],
  [null, 'hours', 0]
] as const)('a split test waits %s %s: %d ms', (amount, unit, ms) => {
  expect(delayMs({ autowinner_delay_amount: amount, autowinner_delay_unit: unit })).toBe(ms)
})

it('the content with the best value wins, and of equal ones the one with the lowest id', () => {
  const content = (contentId: number, opens: number) => ({
    contentId,
    counters: counted({ opens_unique: opens, messages_sent: 10, delivered: 10 })
  })
  expect(winnerOf([], 'opens_unique')).toBeNull()
  expect(winnerOf([content(1, 2), content(2, 3), content(3, 1)], 'opens_unique')).toBe(2)
  expect(winnerOf([content(9, 3), content(4, 3)], 'opens_unique')).toBe(4)
})

it.each([
  [{}, null],
  [{ ['a'.repeat(50)]: '' }, null],
  [{ ['😀'.repeat(49) + 'a']: '' }, null],
  [{ ' ': '' }, 'content_replacement_fields: a key cannot be blank'],
  [
    { ['a'.repeat(51)]: '' },
    `content_replacement_fields: the key "${'a'.repeat(51)}" must be at most 50 characters`
  ],
  [{ '--': '' }, 'content_replacement_fields: the key "--" must contain a letter or a digit'],
  [
    { 'First Name': '', first_name: '' },
    'content_replacement_fields: the key "first_name" must differ from "First Name" by more than case and white space'
  ]
])('of the replacements %j it is said: %s', (fields, fault) => {
  const refusal = replacementKeyFault(fields)

  expect(refusal && englishOf(refusal)).toBe(fault)
})

it('a delay of days ends at its hour, and never before it began', () => {
  const now = Date.parse('2026-03-10T12:00:00Z')
  const at = (delay_unit: 'days' | 'weeks' | 'months', delay_amount: number, delay_time = 9): string =>
    new Date(dueAt({ delay: 'with_delay', delay_amount, delay_unit, delay_time }, now, 'UTC')).toISOString()
  expect(at('days', 0)).toBe('2026-03-10T12:00:00.000Z')
  expect(at('days', 0, 13)).toBe('2026-03-10T13:00:00.000Z')
  expect(at('days', 1)).toBe('2026-03-11T09:00:00.000Z')
  expect(at('weeks', 2)).toBe('2026-03-24T09:00:00.000Z')
  expect(at('months', 1)).toBe('2026-04-10T09:00:00.000Z')
})

it('statistics as they are reported add up', () => {
  const summary = summaryOf(
    counted({
      ...{ messages_sent: 10, delivered: 9, skips_error: 2, skips_request: 3 },
      ...{ opens_total: 6, opens_unique: 4, clicks_total: 5, clicks_unique: 2 },
      ...{ bounces_total: 4, bounces_unique_local: 1, bounces_unique_remote: 2 },
      ...{ bounces_unique_hard: 2, bounces_unique_soft: 1, bounces_status_updated: 2 },
      ...{ scomps_total: 2, scomps_unique: 1, unsubs_total: 3, unsubs_unique: 2, unsubs_status_updated: 2 }
    }),
    null
  )
  expect(reportedStatistics(summary, 20)).toMatchObject({
    recipients: { total: 20, sent: 10, skip: 5, remaining: 5 },
    sent: { total: 10, accepted: 7, bounced: 3, in_queue: 0 },
    skip: { ssr_failure: 2, ssr_request: 3 },
    open: { total: 6, unique: 4 },
    click: { total: 5, unique: 2 },
    bounce: { total: 4, unique: 3, hard: 2, soft: 1, other: 0, subscribers_updated: 2 },
    scomp: { total: 2, unique: 1 },
    unsub: { total: 3, unique: 2, subscribers_updated: 2 }
  })
  // Those who left while it was sent are not waited for, and more than were counted may have come.
  expect(reportedStatistics(summary, null).recipients).toMatchObject({ total: 15, remaining: 0 })
  expect(reportedStatistics(summary, 12).recipients).toMatchObject({ total: 15, remaining: 0 })
  expect(summary).toMatchObject({
    ...{ duplicate_bounces: 1, unbounced: 7, duplicate_clicks: 3, unclicked: 5, unopened: 3 },
    ...{ duplicate_opens: 2, duplicate_scomps: 1, duplicate_unsubs: 1, max_unique_activities: 4 },
    ...{ bounce_rate: 0.3, bounce_local_rate: 0.33333, scomp_rate: 0.14286, accepted_rate: 0.7 }
  })
  const waiting = summaryOf(counted({ messages_sent: 10, delivered: 4, bounces_unique_local: 1 }), null)
  expect(waiting).toMatchObject({ in_queue: 5, in_queue_rate: 0.5 })
  const early = summaryOf(
    counted({ delivered: 2, messages_sent: 1, clicks_unique: 3, opens_unique: 3 }),
    null
  )
  expect(early).toMatchObject({ in_queue: 0, unclicked: 0, unopened: 0 })
  expect(sumCounters([counted({ clicks_total: 2 }), counted({ clicks_total: 3 })]).clicks_total).toBe(5)
})

it('the days of a report are whole days of the zone, from two months ago to the end of this month', () => {
  const now = Date.parse('2026-01-15T12:00:00Z')
  const days = (range: { start_date?: string; end_date?: string }): string[] => {
    const { from, before } = readDays(range, 'Europe/Vienna', now)
    return [new Date(from).toISOString(), new Date(before).toISOString()]
  }
  expect(days({})).toEqual(['2025-10-31T23:00:00.000Z', '2026-01-31T23:00:00.000Z'])
  expect(days({ start_date: '20260110', end_date: '20260110' })).toEqual([
    '2026-01-09T23:00:00.000Z',
    '2026-01-10T23:00:00.000Z'
  ])
  expect(() => days({ start_date: '20260111', end_date: '20260110' })).toThrow(
    'start_date must not be after end_date'
  )
  for (const end_date of ['20260230', '2026011', '19691231', '20261301', '00000101', 'x']) {
    expect(() => days({ end_date })).toThrow('end_date must be a day such as 20140131')
  }
})

it('a time in a query is read as everywhere else, and refused under the name of its parameter', () => {
  expect(readTime('after', undefined, 'UTC')).toBeUndefined()
  expect(readTime('after', '2026-01-01', 'UTC')).toBe(Date.UTC(2026, 0, 1))
  expect(() => readTime('after', 'soon', 'UTC')).toThrow(/^after must be an ISO 8601 time/)
})
