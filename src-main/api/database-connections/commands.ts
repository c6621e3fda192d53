import { X509Certificate } from 'node:crypto'
import { isAbsolute } from 'node:path'
import type { CredentialPlace } from '../../base/credential-places.ts'
import { secretColumn } from '../../base/credentials.ts'
import { Faults, messageOf, validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { type Command, type CommandContext, recordOne } from '../../database/command.ts'
import { recordDeletion, recordEdit, type RecordTables } from '../../database/record-rows.ts'
import { namesOf, requireFreeName } from '../../http/names.ts'
import { dependenciesOn } from '../delivery-settings/queries.ts'
import { refuseWhileNeeded } from '../../http/dependencies.ts'
import { retryReading } from '../remote-lists/commands.ts'
import { markRemovalsUnwritten, tryTableAnew } from '../remote-lists/removals.ts'
import { systemOrganizationId } from '../organizations/rules.ts'
import { databaseConnectionById, type DatabaseConnectionRow, databaseConnections } from './queries.ts'
import type { DatabaseConnectionInput } from './schema.ts'

/** A connection's settings as they are checked and stored. */
export type DatabaseConnectionSettings = Omit<DatabaseConnectionInput, 'secret'>

const tables: RecordTables = { entity: 'database_connection', table: 'database_connections', parts: [] }
const owner = { organizationId: systemOrganizationId }

/** @throws ApiError validation_failed naming each field that cannot work */
const createDatabaseConnection: Command<
  { settings: DatabaseConnectionSettings },
  DatabaseConnectionRow
> = async (context, { settings }) => {
  requireFreeName(await databaseConnections(context.db), settings.name, null, 'database connection')
  const row = await context.db
    .insertInto('database_connections')
    .values({
      ...(await columnsOf(context, settings)),
      created_at: context.now,
      updated_at: context.now
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordOne(context, 'database_connection', 'create', owner, row.id)
  return row
}

interface Update {
  id: number
  changes: Partial<DatabaseConnectionSettings>
  /** Where its new password is stored; left out, the password stays the same. */
  credentialPlace?: CredentialPlace | undefined
}

/** @throws ApiError as {@link createDatabaseConnection} */
const updateDatabaseConnection: Command<Update, DatabaseConnectionRow> = async (
  context,
  { id, changes, credentialPlace }
) => {
  const before = await databaseConnectionById(context.db, id)
  const settings = { ...settingsOf(before), ...changes }
  requireFreeName(await databaseConnections(context.db), settings.name, id, 'database connection')
  const columns = await columnsOf(context, settings)
  await endWaitingFor(context, id)
  const isElsewhere =
    columns.host !== before.host || columns.port !== before.port || columns.engine !== before.engine
  if (isElsewhere || columns.database !== before.database) {
    await markRemovalsUnwritten(context, listsOf(context, id))
  }
  return recordEdit(context, tables, owner, id, () =>
    context.db
      .updateTable('database_connections')
      .set({ ...columns, ...secretColumn(isElsewhere, credentialPlace), updated_at: context.now })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
  )
}

function listsOf({ db }: Pick<CommandContext, 'db'>, id: number) {
  return db.selectFrom('mailing_lists').select('id').where('database_connection_id', '=', id)
}

/** Has campaigns and repeated imports that wait for a database try again at once, and write-backs try their table. */
async function endWaitingFor({ db, clock }: CommandContext, id: number): Promise<void> {
  const lists = listsOf({ db }, id)
  const campaigns = db.selectFrom('campaigns').select('id').where('mailing_list_id', 'in', lists)
  await retryReading({ db }, campaigns)
  await tryTableAnew({ db }, lists)
  await db
    .updateTable('import_schedules')
    .set({ next_at: clock })
    .where('database_connection_id', '=', id)
    .where('fault', 'is not', null)
    .execute()
}

/** @throws ApiError validation_failed while a Remote List needs it, also a deleted one that can be restored */
const deleteDatabaseConnection: Command<{ id: number }, void> = async (context, { id }) => {
  const row = await databaseConnectionById(context.db, id)
  refuseWhileNeeded('used_by', row.name, await dependenciesOn(context.db, 'database_connection', id))
  const deleted = await context.db
    .selectFrom('mailing_lists')
    .select('name')
    .where('database_connection_id', '=', id)
    .executeTakeFirst()
  if (deleted) {
    throw validationFailed(refusal('database_of_deleted_list', { name: row.name, list: deleted.name }))
  }
  // Those of deleted lists, which would otherwise keep it.
  await context.db.deleteFrom('import_schedules').where('database_connection_id', '=', id).execute()
  await recordDeletion(context, tables, owner, row, () =>
    context.db.deleteFrom('database_connections').where('id', '=', id).execute()
  )
}

async function columnsOf({ db }: CommandContext, settings: DatabaseConnectionSettings) {
  const { engine, name, tls, time_limit } = settings
  const [host, database, username] = [
    settings.host.trim(),
    settings.database.trim(),
    settings.username.trim()
  ]
  const faults = new Faults()
  if (engine !== null) {
    if (database === '') faults.add(refusal('blank', { field: 'database' }))
    if (engine === 'sqlite') {
      if (database !== '' && (!isAbsolute(database) || database.includes('\0')))
        faults.add(refusal('database_path', { field: 'database' }))
    } else {
      if (host === '') faults.add(refusal('blank', { field: 'host' }))
      if (username === '') faults.add(refusal('blank', { field: 'username' }))
      if (/[\s/]/.test(host)) faults.add(refusal('database_host', { field: 'host', host }))
    }
  }
  const authorities = settings.authorities.trim()
  checkCertificates(authorities, faults)
  const ids = [...new Set(settings.organization_ids)].sort((a, b) => a - b)
  const known = await db.selectFrom('organizations').select('id').where('id', 'in', ids).execute()
  for (const id of ids) {
    if (!known.some((each) => each.id === id)) {
      faults.add(refusal('id_unknown', { field: 'organization_ids', id }))
    }
  }
  faults.throwIfAny()
  return {
    ...namesOf(name),
    ...{ engine, host, database, username, tls, authorities, time_limit },
    port: engine === null || engine === 'sqlite' ? 0 : settings.port || usualPorts[engine],
    organization_ids: JSON.stringify(ids)
  }
}

const usualPorts = { postgresql: 5432, mysql: 3306 } as const

function checkCertificates(pem: string, faults: Faults): void {
  if (pem === '') return
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [pem]
  for (const block of blocks) {
    try {
      new X509Certificate(block)
    } catch (error) {
      faults.add(refusal('certificate', { field: 'authorities', words: messageOf(error) }))
    }
  }
}

function settingsOf(row: DatabaseConnectionRow): DatabaseConnectionSettings {
  const { name, engine, host, port, database, username, tls, authorities, time_limit } = row
  return {
    ...{ name, engine, host, port, database, username, tls, authorities, time_limit },
    organization_ids: JSON.parse(row.organization_ids) as number[]
  }
}

export const databaseConnectionCommands = {
  create: createDatabaseConnection,
  update: updateDatabaseConnection,
  delete: deleteDatabaseConnection
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    databaseConnections: typeof databaseConnectionCommands
  }
}
