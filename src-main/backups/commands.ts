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
  /** Of the backup. */
  name: string
  /** What was done with it. */
  done: 'made' | 'imported' | 'exported' | 'restore_requested' | 'deleted'
}

const actionOf: Record<Note['done'], ChangeAction> = {
  made: 'create',
  imported: 'create',
  exported: 'update',
  restore_requested: 'update',
  deleted: 'delete'
}

/** Notes for the audit log what somebody did with a backup, which holds everything. */
const noteBackup: Command<Note, void> = (context, { organizationId, name, done }) => {
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

/** Shown with the campaign, until it is continued. */
const whyPaused =
  'A backup was restored, and this campaign may have been sent after the backup was made. Check this before you continue it.'

/**
 * Makes restored data fit to go on from. Campaigns that were scheduled or being sent when the backup was made are paused: they may have
 * been sent since. No id is given out that was given out before, whose files may be there. Encrypted copies go where they went.
 * @returns how many campaigns were paused
 */
const goOnAfterRestore: Command<{ name: string; outlasting: Outlasting }, number> = async (
  context,
  { name, outlasting: { ids, nextIds, copies } }
) => {
  keepIds(context.sqlite, ids, nextIds)
  if (copies !== undefined) await replaceCopies(context.db, copies)
  const campaigns = await campaignsToBeSent(context.db)
  for (const { id, organization_id: organizationId, mailing_list_id: mailingListId } of campaigns) {
    await context.db
      .updateTable('dispatches')
      .set({ paused: 1, error_message: whyPaused })
      .where('campaign_id', '=', id)
      .execute()
    await context.db.updateTable('campaigns').set({ updated_at: context.now }).where('id', '=', id).execute()
    recordOne(context, 'campaign', 'update', { organizationId, mailingListId }, id)
  }
  const owner = { organizationId: systemOrganizationId }
  recordOne(context, 'backup', 'update', owner, 0, { name, restored: true })
  return campaigns.length
}

/** Has ids go on from those that were given out last, where they are higher. */
function keepIds(sqlite: Database, ids: Outlasting['ids'], nextIds: Outlasting['nextIds']): void {
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

export const backupCommands = { note: noteBackup, setCopies, goOnAfterRestore }

declare module '../database/command.ts' {
  interface CommandRegistry {
    backups: typeof backupCommands
  }
}
declare module '../database/schema.ts' {
  interface ChangedEntities {
    /** By its name: it has no id. */
    backup: unknown
  }
}
