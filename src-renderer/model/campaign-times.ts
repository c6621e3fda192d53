import type { CampaignProgress } from '../api/campaigns.ts'

/** The events of the chart over time. */
export const shownEvents = ['opens_unique', 'clicks_unique', 'unsubs_unique', 'bounces_total'] as const
export type ShownEvent = (typeof shownEvents)[number]

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** A longer time is shown by day, in milliseconds. */
const maxByHour = 4 * dayMs

/** Counts events by hour or day from the start of sending to the last hour, without gaps. */
export function eventsOverTime(hours: CampaignProgress['hours'], event: ShownEvent): [number, number][] {
  const [first] = hours
  const last = hours.at(-1)
  if (!first || !last) return []
  const step = last.hour - first.hour > maxByHour ? dayMs : hourMs
  const counts = new Map<number, number>()
  const pointOf = (hour: number): number => first.hour + Math.floor((hour - first.hour) / step) * step
  for (const hour of hours) {
    const point = pointOf(hour.hour)
    counts.set(point, (counts.get(point) ?? 0) + hour[event])
  }
  const lastIndex = (pointOf(last.hour) - first.hour) / step
  return Array.from({ length: lastIndex + 1 }, (_, index) => {
    const point = first.hour + index * step
    return [point, counts.get(point) ?? 0]
  })
}
