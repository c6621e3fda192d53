import type { Database } from 'better-sqlite3'
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { syncFileSync } from '../base/durable.ts'
import { messageOf } from '../base/errors.ts'
import { fileMoment, fileMomentPattern } from '../base/file-moments.ts'
import type { Migration } from './migration.ts'
import { first } from './migrations/0022-first.ts'
import { retention } from './migrations/0023-retention.ts'
import { linkCounters } from './migrations/0024-link-counters.ts'
import { rememberedDateFormats } from './migrations/0025-remembered-date-formats.ts'
import { bulkActions } from './migrations/0026-bulk-actions.ts'
import { importCorrections } from './migrations/0027-import-corrections.ts'
import { drafts } from './migrations/0028-drafts.ts'
import { history } from './migrations/0029-history.ts'
import { subscriberDays } from './migrations/0030-subscriber-days.ts'
import { reactions } from './migrations/0031-reactions.ts'
import { images } from './migrations/0032-images.ts'
import { tableViews } from './migrations/0033-table-views.ts'
import { recipients } from './migrations/0034-recipients.ts'
import { sync } from './migrations/0035-sync.ts'
import { importAdditions } from './migrations/0036-import-additions.ts'
import { expiredDeletions } from './migrations/0037-expired-deletions.ts'
import { untriedNotes } from './migrations/0038-untried-notes.ts'
import { windowSessions } from './migrations/0039-window-sessions.ts'
import { syncCutOffs } from './migrations/0040-sync-cut-offs.ts'
import { suppressionParts } from './migrations/0041-suppression-parts.ts'
import { livedClock } from './migrations/0042-lived-clock.ts'
import { archivedCampaigns } from './migrations/0043-archived-campaigns.ts'
import { syncAnswers } from './migrations/0044-sync-answers.ts'
import { draftMembers } from './migrations/0045-draft-members.ts'
import { triggeredAutoresponders } from './migrations/0046-triggered-autoresponders.ts'
import { fileReadings } from './migrations/0047-file-readings.ts'
import { sending } from './migrations/0048-sending.ts'
import { sentAutoresponders } from './migrations/0049-sent-autoresponders.ts'
import { dkimKeys } from './migrations/0050-dkim-keys.ts'
import { confirmations } from './migrations/0051-confirmations.ts'
import { plusAddressing } from './migrations/0052-plus-addressing.ts'
import { campaignLog } from './migrations/0053-campaign-log.ts'
import { attachments } from './migrations/0054-attachments.ts'
import { previewJournal } from './migrations/0055-preview-journal.ts'
import { receivedMessages } from './migrations/0056-received-messages.ts'
import { mailboxes } from './migrations/0057-mailboxes.ts'
import { machines } from './migrations/0058-machines.ts'
import { gates } from './migrations/0059-gates.ts'
import { events } from './migrations/0060-events.ts'
import { listPages } from './migrations/0061-list-pages.ts'
import { mailboxProtocols } from './migrations/0062-mailbox-protocols.ts'
import { judgements } from './migrations/0063-judgements.ts'
import { databaseConnections } from './migrations/0064-database-connections.ts'
import { remoteLists } from './migrations/0065-remote-lists.ts'
import { writeBacks } from './migrations/0066-write-backs.ts'
import { importSchedules } from './migrations/0067-import-schedules.ts'

/** In order; a released migration is never edited. */
export const migrations: readonly Migration[] = [
  first,
  retention,
  linkCounters,
  rememberedDateFormats,
  bulkActions,
  importCorrections,
  drafts,
  history,
  subscriberDays,
  reactions,
  images,
  tableViews,
  recipients,
  sync,
  importAdditions,
  expiredDeletions,
  untriedNotes,
  windowSessions,
  syncCutOffs,
  suppressionParts,
  livedClock,
  archivedCampaigns,
  syncAnswers,
  draftMembers,
  triggeredAutoresponders,
  fileReadings,
  sending,
  sentAutoresponders,
  dkimKeys,
  confirmations,
  plusAddressing,
  campaignLog,
  attachments,
  previewJournal,
  receivedMessages,
  mailboxes,
  machines,
  gates,
  events,
  listPages,
  mailboxProtocols,
  judgements,
  databaseConnections,
  remoteLists,
  writeBacks,
  importSchedules
]

const keptBackups = 3

export const newestSchema = migrations.at(-1)?.version ?? 0

/**
 * Brings the database to the newest schema. A database that already holds data is copied into `backupDirectory` first.
 * @throws Error with a sentence for the user when a newer Listwright wrote the database, or one from before the first release
 */
export function migrate(
  database: Database,
  backupDirectory: string,
  steps: readonly Migration[] = migrations
): void {
  const current = database.pragma('user_version', { simple: true }) as number
  const oldest = steps[0]?.version ?? 0
  const newest = steps.at(-1)?.version ?? 0
  const writtenBy = writerOf(database, steps)
  if (writtenBy === 'newer') {
    throw new Error(
      `The data was written by a newer Listwright (schema ${current}; this one knows up to ${newest}). ` +
        'Install that version again, or choose another data directory.'
    )
  }
  if (writtenBy === 'unreleased') {
    throw new Error(
      `The data was written before the first release of Listwright (schema ${current}; the oldest one that can be read is ${oldest}). ` +
        'Export its lists with the version that wrote it, or choose another data directory.'
    )
  }
  if (writtenBy === 'another') {
    const table = firstTable(database)
    const holds = table === undefined ? '' : ` (it holds "${table}")`
    throw new Error(`${database.name} is another program's database${holds}. Choose another data directory.`)
  }
  const pending = steps.filter((step) => step.version > current)
  if (pending.length > 0 && current > 0) backUp(database, backupDirectory, current)
  for (const step of pending) {
    // SQLite accepts this setting only outside a transaction.
    if (step.rebuildsTables) database.pragma('foreign_keys = OFF')
    // A damaged database may have some, which its repair deals with.
    const brokenBefore = step.rebuildsTables ? brokenReferences(database).length : 0
    database.transaction(() => {
      database.exec(step.sql)
      if (step.rebuildsTables) requireNoMoreBroken(database, brokenBefore)
      database.pragma(`user_version = ${step.version}`)
    })()
    database.pragma('foreign_keys = ON')
  }
  if (database.pragma('application_id', { simple: true }) === 0)
    database.pragma(`application_id = ${applicationId}`)
  if (pending.length > 0 && current > 0) removeOldBackups(backupDirectory)
}

/**
 * Identifies databases of Listwright by their header (sqlite.org/fileformat.html, "Application ID"): "List".
 */
export const applicationId = 0x4c697374

/**
 * Returns who wrote a database: a compatible Listwright, a newer one, one from before the first release, or
 * another program, next to whose data nothing is written. Databases from before the mark existed are
 * recognized by their schema.
 */
export function writerOf(
  database: Database,
  steps: readonly Migration[] = migrations
): 'this' | 'newer' | 'unreleased' | 'another' {
  const schema = database.pragma('user_version', { simple: true }) as number
  if (schema > (steps.at(-1)?.version ?? 0)) return 'newer'
  if (schema > 0 && schema < (steps[0]?.version ?? 0)) return 'unreleased'
  const marked = database.pragma('application_id', { simple: true }) as number
  const isOurs =
    marked === applicationId || (marked === 0 && (schema > 0 || firstTable(database) === undefined))
  return isOurs ? 'this' : 'another'
}

function firstTable(database: Database): string | undefined {
  return database.prepare<[], string>('SELECT name FROM sqlite_schema LIMIT 1').pluck().get()
}

function brokenReferences(database: Database): { table: string; parent: string }[] {
  return database.pragma('foreign_key_check') as { table: string; parent: string }[]
}

function requireNoMoreBroken(database: Database, before: number): void {
  const broken = brokenReferences(database)
  const [first] = broken
  if (first && broken.length > before)
    throw new Error(`${broken.length} rows, such as one in ${first.table}, refer to missing ${first.parent}`)
}

function backUp(database: Database, directory: string, version: number): void {
  mkdirSync(directory, { recursive: true })
  const name = `listwright-schema-${version}-${fileMoment(Date.now())}.db`
  const partial = join(directory, `.${name}.part`)
  database.prepare('VACUUM INTO ?').run(partial)
  syncFileSync(partial)
  // The copy gets its name once it is complete and durable.
  renameSync(partial, join(directory, name))
}

/** Matches only copies named by {@link backUp}; others are the user's. */
const backupName = new RegExp(`^listwright-schema-\\d+-${fileMomentPattern}\\.db$`)

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
    // The update has succeeded: a copy that another program has open must not prevent the start.
    process.stderr.write(`Old copies in ${directory} were not removed: ${messageOf(error)}\n`)
  }
}
