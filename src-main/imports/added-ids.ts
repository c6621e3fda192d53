import { type Kysely, sql } from 'kysely'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { csvWriter } from '../csv/csv-writer.ts'
import type { Schema } from '../database/schema.ts'

/** Subscribers of one read: a few milliseconds of the API's thread. */
const rowsAtOnce = 2000

const writeCsv = csvWriter({ csv_field_separator: ',', csv_field_enclosure: '"' })

/** Yields lines of CSV with the id and email of each subscriber that an import added and that is still on its list, by id. */
export async function* addedIds(
  db: Kysely<Schema>,
  { id: importId, mailing_list_id: mailingListId }: { id: number; mailing_list_id: number }
): AsyncGenerator<string> {
  for (let afterId = 0; ; await nextTurn()) {
    const rows = await db
      .selectFrom('import_additions')
      // In this order: the other way round, each page would read the rest of the list. Ranges do not overlap.
      .crossJoin('subscribers')
      .select(['subscribers.id', 'subscribers.email'])
      .where('subscribers.id', '>=', sql<number>`max(import_additions.first_id, ${afterId + 1})`)
      .whereRef('subscribers.id', '<=', 'import_additions.last_id')
      .where('subscriber_import_id', '=', importId)
      .where('mailing_list_id', '=', mailingListId)
      .where('last_id', '>', afterId)
      .orderBy('import_additions.first_id')
      .orderBy('subscribers.id')
      .limit(rowsAtOnce)
      .execute()
    const last = rows.at(-1)
    if (!last) return
    yield writeCsv(rows.map(({ id, email }) => [String(id), email]))
    afterId = last.id
  }
}
