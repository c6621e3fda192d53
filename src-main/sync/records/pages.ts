import type { RemoteApi } from '../remote-api.ts'

/** Records that a page of a short listing holds at most (the default of the API, which a request need not name). */
const perPage = 2000

/** Reads all pages of a listing whose records have ids; of a remote that pays no heed to pages it is the first that has all. */
export async function allPages<Item extends { id: number }>(api: RemoteApi, path: string): Promise<Item[]> {
  const items = new Map<number, Item>()
  for (let page = 0; ; page++) {
    const before = items.size
    const { data } = await api.get<Item[]>(page === 0 ? path : `${path}?page=${page}`)
    for (const item of data) items.set(item.id, item)
    if (data.length < perPage || items.size === before) return [...items.values()]
  }
}
