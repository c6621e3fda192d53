import type {
  SubscriberEvent,
  subscriberPageEndpoints,
  Surroundings
} from '../../src-main/workbench/endpoints/subscriber-page.ts'
import { windowCalls } from './client.ts'

export type { SubscriberEvent, Surroundings }

const { call } = windowCalls<typeof subscriberPageEndpoints>()

/** Other lists of the address, what suppresses it, and messages that wait. */
export function fetchSurroundings(id: number): Promise<Surroundings> {
  return call('GET /subscribers/:id/surroundings', { params: { id } })
}

/** A page of what happened to a subscriber, the newest first. @param before what the page before it answered as `next` */
export function fetchHistory(
  id: number,
  before?: number
): Promise<{ events: SubscriberEvent[]; next: number | null }> {
  return call('GET /subscribers/:id/history', {
    params: { id },
    query: before === undefined ? {} : { before }
  })
}
