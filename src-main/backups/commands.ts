import { storeRefusal } from '../base/stored-refusal.ts'
import { refusal } from '../base/refusal.ts'
import type { Database } from 'better-sqlite3'
import type { Kysely } from 'kysely'
import { systemOrganizationId } from '../api/organizations/rules.ts'
import { type Command, recordOne } from '../database/command.ts'
import type { ChangeAction, Schema } from '../database/schema.ts'
import type { CopiesSetting } from './copies.ts'
import type { Outlasting } from './outlasting.ts'
import { campaignsToBeSent, copiesSetting } from './queries.ts'

interface Note {
  organizationId: number
  name: string
  done: 'made' | 'imported' | 'exported' | 'restore_requested' | 'deleted'
}

const actionOf: Record<Note['done'], ChangeAction> = {
  made: 'create',
  imported: 'create',
  exported: 'update',
  restore_requested: 'update',
  deleted: 'delete'
}

/** Records a user's action on a backup in the audit log, since a backup contains all data. */
const recordBackupAction: Command<Note, void> = (context, { organizationId, name, done }) => {
  const action = actionOf[done]
  recordOne(context, 'backup', action, { organizationId }, 0, {
    name,
    ...(action === 'update' && { [done]: true })
  })
  return Promise.resolve()
}

/** Sets where encrypted copies of backups go; null for nowhere. @returns where they went before */
const setCopies: Command<{ copies: CopiesSetting | null }, CopiesSetting | null> = async (
  context,
  { copies }
) => {
  const before = await copiesSetting(context.db)
  await replaceCopies(context.db, copies)
  recordOne(context, 'settings', 'update', { organizationId: systemOrganizationId }, 0, {
    backup_copies: [before?.folder ?? null, copies?.folder ?? null]
  })
  return before
}

async function replaceCopies(db: Kysely<Schema>, copies: CopiesSetting | null): Promise<void> {
  await db
    .replaceInto('settings')
    .values({ name: 'backup_copies', value: JSON.stringify(copies) })
    .execute()
}

/**
 * Prepares restored data for use. Campaigns that were scheduled or being sent at the time of the backup are
 * paused: they may have been sent since. Ids that were used before are skipped, since their files may exist.
 * The place of encrypted copies is kept.
 * @returns the number of paused campaigns
 */
const prepareRestoredData: Command<{ name: string; outlasting: Outlasting }, number> = async (
  context,
  { name, outlasting: { ids, nextIds, copies } }
) => {
  continueIds(context.sqlite, ids, nextIds)
  if (copies !== undefined) await replaceCopies(context.db, copies)
  const campaigns = await campaignsToBeSent(context.db)
  for (const { id, organization_id: organizationId, mailing_list_id: mailingListId } of campaigns) {
    await context.db
      .updateTable('dispatches')
      .set({ paused: 1, error_message: storeRefusal(refusal('campaign_after_restore')) })
      .where('campaign_id', '=', id)
      .execute()
    await context.db.updateTable('campaigns').set({ updated_at: context.now }).where('id', '=', id).execute()
    recordOne(context, 'campaign', 'update', { organizationId, mailingListId }, id)
  }
  const owner = { organizationId: systemOrganizationId }
  recordOne(context, 'backup', 'update', owner, 0, { name, restored: true })
  return campaigns.length
}

/** Continues ids after the highest ones that were used. */
function continueIds(sqlite: Database, ids: Outlasting['ids'], nextIds: Outlasting['nextIds']): void {
  const raise = sqlite.prepare('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?')
  const begin = sqlite.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)')
  const isThere = sqlite.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`)
  for (const [table, id] of Object.entries(ids)) {
    if (raise.run(id, table).changes === 0 && isThere.get(table)) begin.run(table, id)
  }
  const raiseNext = sqlite.prepare(
    'INSERT INTO id_sequences (name, next_id) VALUES (?, ?) ON CONFLICT DO UPDATE SET next_id = max(next_id, excluded.next_id)'
  )
  for (const [name, id] of Object.entries(nextIds)) raiseNext.run(name, id)
}

export const backupCommands = { note: recordBackupAction, setCopies, prepareRestoredData }

declare module '../database/command.ts' {
  interface CommandRegistry {
    backups: typeof backupCommands
  }
}
declare module '../database/schema.ts' {
  interface ChangedEntities {
    /** The name: a backup has no id. */
    backup: unknown
  }
}
