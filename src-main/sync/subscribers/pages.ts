import { setImmediate } from 'node:timers/promises'
import type { RemoteAnswer } from '../remote-api.ts'
import type { ListRun } from './list-run.ts'
import type { TheirSubscriber } from './person.ts'

/** Subscribers of a page (docs/api.md, "Limits"). */
export const perPage = 500

/**
 * Turns of the event loop after which undici writes a request to a connection that has just been used. Work on a page keeps the event
 * loop from turning, so without them the next page would be asked for only after it.
 */
const turnsToSend = 2

export type SubscriberPage = RemoteAnswer<TheirSubscriber[]>

/**
 * All subscribers of the remote's list in the order of their ids, page by page. The next page is on its way while one is worked on.
 * @param from the token of the first page; null = the beginning
 * @throws RemoteFault where a page cannot be had
 */
export async function* subscriberPages(
  { run, theirListId }: Pick<ListRun, 'run' | 'theirListId'>,
  from: string | null = null
): AsyncGenerator<SubscriberPage, undefined> {
  const pageAt = (token: string | null): Promise<SubscriberPage> => {
    const at = token === null ? '' : `&page_token=${encodeURIComponent(token)}`
    return run.api.get(`/mailing_lists/${theirListId}/subscribers?per_page=${perPage}${at}`)
  }
  for (let next: Promise<SubscriberPage> | null = pageAt(from); next;) {
    const page: SubscriberPage = await next
    next = page.next_page_token == null ? null : pageAt(page.next_page_token)
    // What it fails of is told where it is waited for.
    next?.catch(() => undefined)
    for (let turn = 0; turn < turnsToSend; turn++) await setImmediate()
    yield page
  }
  return undefined
}
