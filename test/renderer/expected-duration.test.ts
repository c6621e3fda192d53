import { describe, expect, it } from 'vitest'
import { type DraftRoute, expectedDuration } from '../../src-renderer/model/draft-route.ts'

const hour = 3_600_000
const route = (limits: Partial<DraftRoute>): DraftRoute => ({
  ...{ servers: ['A'], mayUnsubscribe: true, virtualMtaId: 0, perHour: Infinity, perDay: Infinity },
  ...limits
})

describe('the expected duration of a campaign', () => {
  it('is unknown if nothing limits it', () => {
    expect(expectedDuration(route({}), 5000, 0)).toBeNull()
    expect(expectedDuration(route({ perDay: 5000 }), 5000, 0)).toBeNull()
  })

  it('follows the speed of the campaign and the limits of its servers, whichever is slower', () => {
    expect(expectedDuration(route({ perHour: 1000 }), 5000, 0)).toBe(5 * hour)
    expect(expectedDuration(route({ perHour: 1000 }), 5000, 500)).toBe(10 * hour)
  })

  it('waits for the next day when a day has been used up', () => {
    expect(expectedDuration(route({ perDay: 500 }), 1200, 0)).toBe(48 * hour)
    expect(expectedDuration(route({ perDay: 500, perHour: 100 }), 1200, 0)).toBe(50 * hour)
  })
})
