import type { AnswerCheck } from '../answers.ts'
import { contradiction, type RemoteApi } from '../remote-api.ts'
import { RemoteFault } from '../remote-fault.ts'

/** Records that a page of a short listing holds at most (the default of the API, which a request need not name). */
const perPage = 2000
/** Records that a short listing may have: a remote that always has one more page would never end. */
const maxRecords = 100_000

/**
 * Reads all pages of a listing whose records have ids; of a remote that pays no heed to pages it is the first that has all.
 * @throws RemoteFault invalid where the pages hold another number of records than they say
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
      throw new RemoteFault('invalid', `${api.host} has more than ${maxRecords} records at ${path}`)
    }
    if (data.length === perPage && items.size > before) continue
    // A record that was removed between two pages moves others to a page that was read before: the next run sees them.
    if (records != null && items.size < records) {
      throw new RemoteFault('invalid', `${api.host} ${contradiction(records, items.size)}`)
    }
    return [...items.values()]
  }
}
