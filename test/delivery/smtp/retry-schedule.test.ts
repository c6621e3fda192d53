import { expect, it } from 'vitest'
import { pauseAfter, usualSchedule } from '../../../src-main/delivery/smtp/retry-schedule.ts'

const hour = 3_600_000

it('a message is tried again after growing pauses, and given up before 72 hours have passed', () => {
  const pauses: number[] = []
  for (let attempt = 1; ; attempt++) {
    const pause = pauseAfter(attempt, usualSchedule)
    if (pause === null) break
    pauses.push(pause)
  }

  const total = pauses.reduce((sum, pause) => sum + pause, 0)
  expect(pauses[0]).toBe(hour / 12)
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
  expect(total).toBeLessThanOrEqual(72 * hour)
  expect(total).toBeGreaterThan(60 * hour)
})
