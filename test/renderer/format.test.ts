import { expect, it } from 'vitest'
import { formatDateTime, formatDelay, formatPeriod } from '../../src-renderer/format.ts'

const from = '2026-11-26T05:43:01Z'

it('a period names its day once, and is one time within a minute', () => {
  expect(formatPeriod(from, '2026-11-26T05:43:35Z')).toBe(formatDateTime(from))
  expect(formatPeriod(from, '2026-11-26T05:48:35Z').match(/2026/g)).toHaveLength(1)
  expect(formatPeriod(from, '2026-11-26T05:48:35Z')).toMatch(/:43.*:48/)
})

it('a delay of one is singular', () => {
  expect(formatDelay(1, 'months')).toBe('1 month')
  expect(formatDelay(3, 'days')).toBe('3 days')
})
