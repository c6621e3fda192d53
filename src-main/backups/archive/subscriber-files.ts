import type { Database } from 'better-sqlite3'
import type { Kysely } from 'kysely'
import { fieldsOfList } from '../../api/custom-fields/queries.ts'
import { mailingListsOf } from '../../api/mailing-lists/queries.ts'
import { organizations, type OrganizationRow } from '../../api/organizations/queries.ts'
import { importColumns } from '../../api/subscriber-imports/rules.ts'
import type { SubscriberRow } from '../../api/subscribers/queries.ts'
import { csvWriter } from '../../csv/csv-writer.ts'
import { kyselyOver } from '../../database/connection.ts'
import type { Schema } from '../../database/schema.ts'
import { cellWriter } from '../../exports/cells.ts'

interface ArchivedFile {
  name: string
  lines: () => Iterable<string>
}

/** The subscribers of each list that is not deleted, as CSV in the form in which an import reads them. */
export async function* subscriberFiles(database: Database): AsyncGenerator<ArchivedFile> {
  const db = kyselyOver(database)
  for (const organization of await organizations(db)) {
    for (const list of await mailingListsOf(db, organization.id)) {
      if (list.is_remote_list === 1) continue
      const file = await subscribersOf(db, database, organization, list)
      yield { name: `subscribers/${fileName(list)}`, lines: file }
    }
  }
}

/** Rows of one read. */
const rowsAtOnce = 500

async function subscribersOf(
  db: Kysely<Schema>,
  database: Database,
  { id: organizationId, time_zone_name: timeZone }: OrganizationRow,
  list: { id: number }
): Promise<() => Generator<string>> {
  const fields = await fieldsOfList(db, organizationId, list.id)
  const columns = [...importColumns, ...fields.map(({ name }) => name)]
  const cellsOf = cellWriter(columns, fields, timeZone)
  const write = csvWriter({ csv_field_separator: ',', csv_field_enclosure: '"' }, true)
  const next = database.prepare<[number, number, number], SubscriberRow>(
    'SELECT * FROM subscribers WHERE mailing_list_id = ? AND id > ? ORDER BY id LIMIT ?'
  )
  return function* () {
    yield write([columns])
    for (let afterId = 0; ;) {
      const rows = next.all(list.id, afterId, rowsAtOnce)
      const last = rows.at(-1)
      if (!last) return
      afterId = last.id
      yield write(rows.map(cellsOf))
    }
  }
}

/** A name that every system takes: with the id, since two lists may have one name. */
function fileName({ id, name }: { id: number; name: string }): string {
  const plain = name.replaceAll(/[\p{Cc}<>:"/\\|?*]/gu, '_').slice(0, 80)
  return `${id} ${plain.trim().replace(/\.+$/, '')}.csv`
}
