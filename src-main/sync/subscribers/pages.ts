import { refusal } from '../../base/refusal.ts'
import { setImmediate } from 'node:timers/promises'
import { answers } from '../answers.ts'
import { otherNumber, type RemoteAnswer } from '../remote-api.ts'
import { isFault, RemoteFault } from '../remote-fault.ts'
import type { ListRun } from './list-run.ts'

/** Subscribers of a page (docs/api.md, "Limits"). */
export const perPage = 500

/**
 * Turns of the event loop after which undici writes a request to a connection that has just been used. Work on a page keeps the event
 * loop from turning, so without them the next page would be asked for only after it.
 */
const turnsToSend = 2

const shorterPages = [50, 5, 1]

/** A page whose records are checked to have ascending ids; the rest is validated later. */
export type SubscriberPage = RemoteAnswer<{ id: number }[]>

type Source = Pick<ListRun, 'run' | 'theirListId'>

/**
 * All subscribers of the remote's list in the order of their ids, page by page. The next page is on its way while one is worked on.
 * @param from where to begin: the token of the first page, and the last id before it; null = the beginning
 * @throws RemoteFault where a page cannot be had; invalid where pages lead nowhere, or hold fewer people than they say
 */
export async function* subscriberPages(
  source: Source,
  from: { token: string; afterId: number } | null = null
): AsyncGenerator<SubscriberPage, undefined> {
  let lastId = from?.afterId ?? 0
  let people = 0
  for (let next: Promise<SubscriberPage> | null = pageAt(source, from?.token ?? null); next;) {
    const page: SubscriberPage = await next
    const token: string | null = page.next_page_token == null ? null : String(page.next_page_token)
    lastId = requireAscending(source, page, lastId)
    people += page.data.length
    if (token === null && from === null) requireAll(source, page, people)
    next = token === null ? null : pageAt(source, token)
    // Its error is thrown where it is awaited.
    next?.catch(() => undefined)
    for (let turn = 0; turn < turnsToSend; turn++) await setImmediate()
    yield page
  }
  return undefined
}

async function pageAt(source: Source, token: string | null): Promise<SubscriberPage> {
  for (const size of [perPage, ...shorterPages]) {
    try {
      return await pageOf(source, token, size)
    } catch (error) {
      if (!isFault(error, 'too_long') || size === shorterPages.at(-1)) throw error
    }
  }
  throw new Error('a page has no size')
}

function pageOf({ run, theirListId }: Source, token: string | null, size: number): Promise<SubscriberPage> {
  const at = token === null ? '' : `&page_token=${encodeURIComponent(token)}`
  return run.api.get(`/mailing_lists/${theirListId}/subscribers?per_page=${size}${at}`, answers.listing)
}

/** Pages must be in the order of ids: only then does a gap between two ids mean that a subscriber is missing. @returns the last id */
function requireAscending({ run }: Source, page: SubscriberPage, after: number): number {
  let last = after
  for (const { id } of page.data) {
    if (id <= last) {
      throw new RemoteFault('invalid', refusal('subscribers_out_of_order', { host: run.api.host, id, last }))
    }
    last = id
  }
  if (last === after && page.next_page_token != null) {
    throw new RemoteFault('invalid', refusal('empty_page', { host: run.api.host }))
  }
  return last
}

/**
 * Checks that no subscriber was missed. Subscribers added during the scan have the highest ids, so the count
 * of the last page holds for all pages.
 */
function requireAll({ run }: Source, { num_records: records }: SubscriberPage, people: number): void {
  if (records != null && people < records) {
    throw otherNumber(run.api.host, records, people)
  }
}
