import type { Kysely } from 'kysely'
import { rm } from 'node:fs/promises'
import { journalStates } from '../api/journal/schema.ts'
import { namesIn } from '../base/directories.ts'
import type { Schema } from '../database/schema.ts'
import { campaignOfSpool, partialSpoolPath, spoolDirectory, spoolPath } from '../remote-lists/spool.ts'

/**
 * Removes the recipients that were read for a campaign, unless some of them may still get a message: while it is not over, and while the
 * delivery of some messages is uncertain, which may be sent again.
 */
export async function removeSpoolUnlessNeeded(
  db: Kysely<Schema>,
  dataDirectory: string,
  campaignId: number
): Promise<void> {
  const campaign = await db
    .selectFrom('dispatches')
    .innerJoin('campaigns', 'campaigns.id', 'dispatches.campaign_id')
    .select(['state', 'expired'])
    .where('campaigns.id', '=', campaignId)
    .executeTakeFirst()
  if (campaign?.state === 'scheduled' || campaign?.state === 'sending') return
  const mayBeSentAgain = campaign?.state === 'finished' && campaign.expired === 0
  if (mayBeSentAgain && (await hasUncertain(db, campaignId))) return
  const path = spoolPath(dataDirectory, campaignId)
  await rm(path, { force: true })
  await rm(partialSpoolPath(path), { force: true })
}

async function hasUncertain(db: Kysely<Schema>, campaignId: number): Promise<boolean> {
  const found = await db
    .selectFrom('stats')
    .innerJoin('stat_slices', 'stat_slices.stat_id', 'stats.id')
    .innerJoin('journal_counts', 'journal_counts.stat_slice_id', 'stat_slices.id')
    .select('state')
    .where('campaign_id', '=', campaignId)
    .where('state', '=', journalStates.uncertain)
    .where('messages', '>', 0)
    .executeTakeFirst()
  return found !== undefined
}

/** Does that for all campaigns, such as those that were cancelled while nothing was being sent. */
export async function removeOldSpools(db: Kysely<Schema>, dataDirectory: string): Promise<void> {
  for (const name of await namesIn(spoolDirectory(dataDirectory))) {
    const id = campaignOfSpool(name)
    if (id !== null) await removeSpoolUnlessNeeded(db, dataDirectory, id)
  }
}
