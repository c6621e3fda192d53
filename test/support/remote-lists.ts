import Database from 'better-sqlite3'
import { join } from 'node:path'
import type { CampaignDetail } from '../../src-main/api/campaigns/schema.ts'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import type { DatabaseTarget } from '../../src-main/remote-databases/remote-database.ts'
import { temporaryDirectory } from './application.ts'
import { expectSuccess, makeCampaign, makeList } from './builders.ts'
import type { Client } from './client.ts'

let made = 0

/** A Remote List whose recipients are in a database. */
export async function remoteListOn(
  api: Client,
  { password: secret, name: _, ...target }: DatabaseTarget,
  settings: Record<string, unknown> = {}
): Promise<MailingList> {
  const database_connection = { name: `CRM ${++made}`, ...target, ...(secret !== null && { secret }) }
  const { id } = expectSuccess(
    await api.post<{ id: number }>('/database_connections', { database_connection })
  )
  return makeList(api, { is_remote_list: true, database_connection_id: id, ...settings })
}

/** A SQLite file with a table contacts, which statements fill. */
export async function sqliteFile(sql = ''): Promise<DatabaseTarget> {
  const database = join(await temporaryDirectory(), 'crm.db')
  const file = new Database(database)
  file.exec(`CREATE TABLE contacts (id INTEGER PRIMARY KEY, email TEXT, name TEXT); ${sql}`)
  file.close()
  const nothing = { host: '', port: 0, username: '', password: null, authorities: '' }
  return { ...nothing, engine: 'sqlite', name: 'CRM', database, tls: 'none' }
}

/** A campaign to a Remote List that begins at once. */
export function sendQuery(
  api: Client,
  listId: number,
  query: string,
  { dispatch_attributes: dispatch, ...more }: { dispatch_attributes?: object } & Record<string, unknown> = {}
): Promise<CampaignDetail> {
  return makeCampaign(api, listId, {
    segmentation_criteria_ad_hoc: undefined,
    segmentation_criteria_remote_sql: query,
    dispatch_attributes: {
      from_email: 'news@example.com',
      begins_at: Math.floor(Date.now() / 1000),
      ...dispatch
    },
    ...more
  })
}
