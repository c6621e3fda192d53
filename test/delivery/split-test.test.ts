import fc from 'fast-check'
import { expect, it } from 'vitest'
import { delayMs, customHeaders, customHeaderComplaints } from '../../src-main/api/campaigns/rules.ts'
import { drawShares, evenShares, drawOf, testedContent } from '../../src-main/delivery/split-test.ts'
import { textOf } from '../support/refusals.ts'

it('the shares of a split test are exact for any number of recipients, contents and percentage', () => {
  const settings = fc.record({
    recipients: fc.nat(400),
    contents: fc.integer({ min: 2, max: 6 }),
    percentage: fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100)
  })
  fc.assert(
    fc.property(settings, ({ recipients, contents, percentage }) => {
      const draws = Float64Array.from({ length: recipients }, (_, id) => drawOf(7, id))
      const shares = drawShares(draws, contents, percentage)
      const counts = new Array<number>(contents).fill(0)
      let untested = 0
      for (const draw of draws) {
        const place = testedContent(shares, draw)
        if (place === null) untested++
        else counts[place] = (counts[place] ?? 0) + 1
      }
      const tested = Math.round((recipients * percentage) / 100)
      expect(recipients - untested).toBe(tested)
      for (const count of counts) {
        expect(count).toBeGreaterThanOrEqual(Math.floor(tested / contents))
        expect(count).toBeLessThanOrEqual(Math.ceil(tested / contents))
      }
    }),
    { numRuns: 200 }
  )
})

it('a draw is a number from 0 to 1, always the same for a campaign, and different for another', () => {
  expect(drawOf(1, 2)).toBe(drawOf(1, 2))
  expect(drawOf(1, 2)).not.toBe(drawOf(2, 2))
  for (let id = 0; id < 1000; id++) {
    expect(drawOf(1, id)).toBeGreaterThanOrEqual(0)
    expect(drawOf(1, id)).toBeLessThan(1)
  }
})

it('shares may be even where they need not be exact', () => {
  expect(evenShares(2, 50)).toEqual([0.25, 0.5])
  expect([testedContent([0.25, 0.5], 0.25), testedContent([0.25, 0.5], 0.5)]).toEqual([1, null])
})

it.each([
  [2, 'minutes', 120_000],
  [2, 'hours', 7_200_000],
  [2, 'days', 172_800_000],
  [3, null, 180_000],
  [null, 'days', 0]
])('a delay of %s %s is %i ms', (autowinner_delay_amount, autowinner_delay_unit, ms) => {
  expect(delayMs({ autowinner_delay_amount, autowinner_delay_unit })).toBe(ms)
})

it('header lines of a list keep their folded parts, and none that the message has itself', () => {
  const text = 'X-Team: Blue\r\n\tand green\n   and red\n\nX-Empty:\nSubject: No\nnonsense\n X'
  expect(customHeaders(text)).toEqual([
    { name: 'X-Team', value: 'Blue and green and red' },
    { name: 'X-Empty', value: '' }
  ])
  expect(customHeaderComplaints(text).map(textOf)).toEqual([
    'line 6 must not be Subject, which each message has of its own',
    'line 7 must be a name, a colon and a value, such as X-Team: Blue'
  ])
  expect(customHeaderComplaints('Content-Type: text/plain')).toHaveLength(1)
  expect(customHeaderComplaints('X-A: b')).toEqual([])
})

it('header lines of a list are read in time proportional to their length', { timeout: 5000 }, () => {
  const [header] = customHeaders(`X-A: b${'\n c: d'.repeat(200_000)}`)
  expect(header?.value).toHaveLength(1 + 200_000 * ' c: d'.length)
})
