import type { Kysely } from 'kysely'
import { appendToLog } from '../../api/campaigns/log.ts'
import type { Refusal } from '../../base/refusal.ts'
import type { Command } from '../../database/command.ts'
import type { Schema } from '../../database/schema.ts'
import type { StoredPace } from './domain-pace.ts'
import type { KnownProvider } from './providers.ts'

// What was learned about the domains of recipients: it holds for all that is sent, also after a restart.

/** What the DNS said is asked again after so long, in milliseconds. */
const lookedUpFor = 7 * 24 * 60 * 60 * 1000
/** A domain that was slow so long ago (milliseconds) gets another chance. */
const slowFor = 24 * 60 * 60 * 1000

/** @param now UNIX milliseconds */
export async function learnedPaces(
  db: Kysely<Schema>,
  now: number
): Promise<{ paces: StoredPace[]; providers: KnownProvider[] }> {
  const paces = await db
    .selectFrom('slow_domains')
    .select(['domain', 'interval', 'next_at', 'pause'])
    .where('updated_at', '>', now - slowFor)
    .execute()
  const providers = await db
    .selectFrom('recipient_domains')
    .select(['domain', 'provider'])
    .where('looked_up_at', '>', now - lookedUpFor)
    .execute()
  return { paces, providers }
}

interface News {
  /** For its history log; null = the messages belong to no campaign. */
  campaignId: number | null
  log: Refusal[]
  /** An interval of 0 is that of a domain that is as fast as any other again. */
  paces: StoredPace[]
  providers: KnownProvider[]
}

/** Stores what a run has learned. */
export const recordNews: Command<News, void> = async (context, { campaignId, log, paces, providers }) => {
  const { db, now } = context
  await db
    .deleteFrom('slow_domains')
    .where('updated_at', '<', now - slowFor)
    .execute()
  if (campaignId !== null) await appendToLog(context, campaignId, log)
  for (const pace of paces) {
    if (pace.interval === 0) await db.deleteFrom('slow_domains').where('domain', '=', pace.domain).execute()
    else {
      const row = { ...pace, updated_at: now }
      await db
        .insertInto('slow_domains')
        .values(row)
        .onConflict((conflict) => conflict.column('domain').doUpdateSet(row))
        .execute()
    }
  }
  if (providers.length === 0) return
  await db
    .deleteFrom('recipient_domains')
    .where('looked_up_at', '<', now - lookedUpFor)
    .execute()
  await db
    .insertInto('recipient_domains')
    .values(providers.map((each) => ({ ...each, looked_up_at: now })))
    .onConflict((conflict) =>
      conflict.column('domain').doUpdateSet((update) => ({
        provider: update.ref('excluded.provider'),
        looked_up_at: now
      }))
    )
    .execute()
}
