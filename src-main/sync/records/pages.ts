import { refusal } from '../../base/refusal.ts'
import type { AnswerCheck } from '../answers.ts'
import { otherNumber, type RemoteApi } from '../remote-api.ts'
import { RemoteFault } from '../remote-fault.ts'

/** The default page size of the API, which a request need not name. */
const perPage = 2000
/** Limit of a listing: a remote that always has another page would never end. */
const maxRecords = 100_000

/**
 * Reads all pages of a listing, ordered by id. For a remote that ignores paging the first page holds
 * everything.
 * @throws RemoteFault invalid if the pages hold fewer records than they declare
 */
export async function allPages<Item extends { id: number }>(
  api: RemoteApi,
  path: string,
  check: AnswerCheck
): Promise<Item[]> {
  const items = new Map<number, Item>()
  for (let page = 0; ; page++) {
    const before = items.size
    const { data, num_records: records } = await api.get<Item[]>(
      page === 0 ? path : `${path}?page=${page}`,
      check
    )
    for (const item of data) items.set(item.id, item)
    if (items.size > maxRecords) {
      throw new RemoteFault(
        'invalid',
        refusal('too_many_records', { host: api.host, most: maxRecords, path })
      )
    }
    if (data.length === perPage && items.size > before) continue
    // If a record is deleted between two pages, another moves to a page that was already read. The totals
    // still match, so nothing is thrown; the next run finds the skipped record.
    if (records != null && items.size < records) {
      throw otherNumber(api.host, records, items.size)
    }
    return [...items.values()]
  }
}
