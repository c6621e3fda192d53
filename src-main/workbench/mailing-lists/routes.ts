import { setImmediate as breathe } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { countsOfLists, zeroCounts } from '../../api/subscriber-counts/queries.ts'
import type { Schema } from '../../database/schema.ts'
import { ok } from '../../http/envelope.ts'
import { serveEndpoints } from '../../http/serve.ts'
import { type ListedList, mailingListEndpoints } from './endpoints.ts'

/** Lists that are read at once: more would hold up the event loop of the API. */
const listsAtOnce = 500

/** /app/v1/mailing_lists: what the window knows of all lists. */
export const mailingListRoutes = serveEndpoints(mailingListEndpoints, ({ reader }) => ({
  'GET /mailing_lists': async ({ caller: { organizationId } }) => {
    const listed: ListedList[] = []
    for (let last = 0; ; await breathe()) {
      const some = await listsAfter(reader, organizationId, last)
      listed.push(...some)
      last = some.at(-1)?.id ?? last
      if (some.length < listsAtOnce) return ok(listed)
    }
  }
}))

async function listsAfter(db: Kysely<Schema>, organizationId: number, after: number): Promise<ListedList[]> {
  const rows = await db
    .selectFrom('mailing_lists')
    .select(['id', 'name', 'is_remote_list'])
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(listsAtOnce)
    .execute()
  const counts = await countsOfLists(db, { from: after + 1, to: rows.at(-1)?.id ?? after })
  return rows.map(({ id, name, is_remote_list: isRemote }) => ({
    id,
    name,
    is_remote_list: isRemote === 1,
    counts: counts.get(id) ?? zeroCounts()
  }))
}
