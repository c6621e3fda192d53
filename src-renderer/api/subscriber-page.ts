import type {
  SubscriberEvent,
  subscriberPageEndpoints,
  Surroundings
} from '../../src-main/workbench/subscriber-page/endpoints.ts'
import { windowCalls } from './client.ts'

export type { SubscriberEvent, Surroundings }

const { call } = windowCalls<typeof subscriberPageEndpoints>()

/** Other lists of the address, what suppresses it, and messages that wait. */
export function fetchSurroundings(id: number): Promise<Surroundings> {
  return call('GET /subscribers/:id/surroundings', { params: { id } })
}

/**
 * Reverts a change of a subscriber.
 * @param undoId of the change
 */
export async function undoChange(id: number, undoId: number): Promise<void> {
  await call('POST /subscribers/:id/history/:change_id/undo', { params: { id, change_id: undoId } })
}

/** Brings back a subscriber who was deleted. @returns the list that they are on */
export async function restoreSubscriber(id: number): Promise<number> {
  return (await call('POST /subscribers/:id/restore', { params: { id } })).mailing_list_id
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
