import type { Kysely } from 'kysely'
import type { Refusal } from '../../base/refusal.ts'
import { readStoredRefusal, storeRefusal } from '../../base/stored-refusal.ts'
import { formatTime } from '../../base/times.ts'
import type { CommandContext } from '../../database/command.ts'
import type { Schema } from '../../database/schema.ts'
import type { CampaignLogEntry } from './schema.ts'

/** The most entries of a campaign: after them only its end is told by its state. */
const mostEntries = 1000

/** Appends to the history log of a campaign. */
export async function appendToLog(
  context: CommandContext,
  campaignId: number,
  entries: readonly Refusal[]
): Promise<void> {
  if (entries.length === 0) return
  const { count } = await context.db
    .selectFrom('campaign_log')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('campaign_id', '=', campaignId)
    .executeTakeFirstOrThrow()
  const room = Math.max(0, mostEntries - count)
  if (room === 0) return
  await context.db
    .insertInto('campaign_log')
    .values(
      entries
        .slice(0, room)
        .map((entry) => ({ campaign_id: campaignId, occurred_at: context.now, entry: storeRefusal(entry) }))
    )
    .execute()
}

/** Appends an entry unless the last one says the same: a campaign may wait for one thing again and again. */
export async function appendOnce(context: CommandContext, campaignId: number, entry: Refusal): Promise<void> {
  const last = await context.db
    .selectFrom('campaign_log')
    .select('entry')
    .where('campaign_id', '=', campaignId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last?.entry !== storeRefusal(entry)) await appendToLog(context, campaignId, [entry])
}

/** Returns the history log of a campaign, the oldest entry first. */
export async function logOf(
  db: Kysely<Schema>,
  campaignId: number,
  timeZone: string
): Promise<CampaignLogEntry[]> {
  const rows = await db
    .selectFrom('campaign_log')
    .select(['occurred_at', 'entry'])
    .where('campaign_id', '=', campaignId)
    .orderBy('id')
    .execute()
  return rows.map(({ occurred_at, entry }) => {
    const { text, fault } = readStoredRefusal(entry)
    return { occurred_at: formatTime(occurred_at, timeZone), message: text, fault }
  })
}
