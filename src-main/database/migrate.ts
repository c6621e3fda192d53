import type { Database } from 'better-sqlite3'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../base/errors.ts'
import type { Migration } from './migration.ts'
import { first } from './migrations/0001-first.ts'
import { settings } from './migrations/0002-settings.ts'
import { listRekeys } from './migrations/0003-list-rekeys.ts'
import { deliverySettings } from './migrations/0004-delivery-settings.ts'
import { autoresponders } from './migrations/0005-autoresponders.ts'
import { urlImports } from './migrations/0006-url-imports.ts'
import { subscriberExports } from './migrations/0007-subscriber-exports.ts'
import { importUndo } from './migrations/0008-import-undo.ts'
import { rowOrder } from './migrations/0009-row-order.ts'
import { importMappings } from './migrations/0010-import-mappings.ts'
import { blockGroups } from './migrations/0011-block-groups.ts'
import { segments } from './migrations/0012-segments.ts'
import { campaigns } from './migrations/0013-campaigns.ts'
import { delivery } from './migrations/0014-delivery.ts'
import { suppressionLists } from './migrations/0015-suppression-lists.ts'
import { apiKeys } from './migrations/0016-api-keys.ts'
import { users } from './migrations/0017-users.ts'
import { jobs } from './migrations/0018-jobs.ts'
import { trust } from './migrations/0019-trust.ts'
import { atOnce } from './migrations/0020-at-once.ts'
import { purgedCampaigns } from './migrations/0021-purged-campaigns.ts'
import { rowsOfBatches } from './migrations/0022-rows-of-batches.ts'

/** In order; a step that was released is never edited again. */
export const migrations: readonly Migration[] = [
  first,
  settings,
  listRekeys,
  deliverySettings,
  autoresponders,
  urlImports,
  subscriberExports,
  importUndo,
  rowOrder,
  importMappings,
  blockGroups,
  segments,
  campaigns,
  delivery,
  suppressionLists,
  apiKeys,
  users,
  jobs,
  trust,
  atOnce,
  purgedCampaigns,
  rowsOfBatches
]

/** Copies of earlier schemas that are kept. */
const keptBackups = 3

/** The schema that this version works with. */
export const newestSchema = migrations.at(-1)?.version ?? 0

/**
 * Brings the database to the newest schema. A database that already holds data is copied into `backupDirectory` first.
 * @throws Error with a sentence for the user when a newer Listwright wrote the database.
 */
export function migrate(
  database: Database,
  backupDirectory: string,
  steps: readonly Migration[] = migrations
): void {
  const current = database.pragma('user_version', { simple: true }) as number
  const newest = steps.at(-1)?.version ?? 0
  if (current > newest) {
    throw new Error(
      `The data was written by a newer Listwright (schema ${current}; this one knows up to ${newest}). ` +
        'Install that version again, or choose another data directory.'
    )
  }
  const pending = steps.filter((step) => step.version > current)
  if (pending.length > 0 && current > 0) backUp(database, backupDirectory, current)
  for (const step of pending) {
    // SQLite takes this between transactions only.
    if (step.rebuildsTables) database.pragma('foreign_keys = OFF')
    database.transaction(() => {
      database.exec(step.sql)
      if (step.rebuildsTables) requireForeignKeys(database)
      database.pragma(`user_version = ${step.version}`)
    })()
    database.pragma('foreign_keys = ON')
  }
  if (pending.length > 0 && current > 0) removeOldBackups(backupDirectory)
}

function requireForeignKeys(database: Database): void {
  const broken = database.pragma('foreign_key_check') as { table: string; parent: string }[]
  const [first] = broken
  if (first)
    throw new Error(`${broken.length} rows, such as one of ${first.table}, refer to no ${first.parent}`)
}

function backUp(database: Database, directory: string, version: number): void {
  mkdirSync(directory, { recursive: true })
  const moment = new Date().toISOString().replaceAll(':', '-')
  database.prepare('VACUUM INTO ?').run(join(directory, `listwright-schema-${version}-${moment}.db`))
}

/** The names of {@link backUp} alone: a copy that somebody named is theirs. */
const backupName = /^listwright-schema-\d+-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z)\.db$/

/** The copies that are made before updates take as much room as the data: the newest are kept, once an update has succeeded. */
function removeOldBackups(directory: string): void {
  try {
    const copies = readdirSync(directory)
      .flatMap((name) => {
        const moment = backupName.exec(name)?.[1]
        return moment === undefined ? [] : [{ name, moment }]
      })
      .sort((a, b) => (a.moment < b.moment ? -1 : 1))
    for (const { name } of copies.slice(0, -keptBackups)) rmSync(join(directory, name))
  } catch (error) {
    // The update is done: a copy that another program has open is no reason not to start.
    process.stderr.write(`Old copies in ${directory} were not removed: ${messageOf(error)}\n`)
  }
}
