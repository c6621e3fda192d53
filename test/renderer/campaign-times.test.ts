import { expect, it } from 'vitest'
import { eventsOverTime } from '../../src-renderer/model/campaign-times.ts'

const hourMs = 3_600_000
const start = Date.UTC(2026, 0, 1, 9)

function hour(number: number, opens: number, content_id = 1) {
  const counts = { messages_sent: 0, clicks_unique: 0, bounces_total: 0, unsubs_unique: 0 }
  return { content_id, hour: start + number * hourMs, opens_unique: opens, ...counts }
}

it('what happened within four days is shown by hour, over all contents and without gaps', () => {
  const points = eventsOverTime([hour(0, 5), hour(0, 2, 2), hour(14, 1)], 'opens_unique')
  expect(points).toHaveLength(15)
  expect(points[0]).toEqual([start, 7])
  expect(points[1]).toEqual([start + hourMs, 0])
  expect(points[14]).toEqual([start + 14 * hourMs, 1])
})

it('a longer time is shown by day', () => {
  const points = eventsOverTime([hour(0, 5), hour(23, 1), hour(24, 2), hour(24 * 20, 4)], 'opens_unique')
  expect(points).toHaveLength(21)
  expect(points.map(([, count]) => count).filter((count) => count > 0)).toEqual([6, 2, 4])
})

it('the first point is the hour in which sending began, and no point follows the last recorded hour', () => {
  const points = eventsOverTime([hour(0, 5)], 'opens_unique')
  expect(points).toEqual([[start, 5]])
  expect(eventsOverTime([], 'opens_unique')).toEqual([])
})
