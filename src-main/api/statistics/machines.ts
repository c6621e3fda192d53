import type { CommandContext } from '../../database/command.ts'

// Security scanners follow the links of a message before its recipient sees it, and privacy proxies load its images
// in advance. Their openings and clicks are counted as the API specifies, and told apart beside that.

/**
 * What proxies and scanners call themselves, in lower case. Google's and Yahoo's image proxies are not among them:
 * they load an image when a person opens the message.
 */
const programs = [
  // Gmail loads images in advance under this name, unlike its image proxy.
  'edge/12.246 mozilla/5.0',
  ...['barracuda', 'bitdefender', 'cloudmark', 'fireeye', 'fortinet', 'ironport', 'messagelabs', 'mimecast'],
  ...['proofpoint', 'safelinks', 'sophos', 'symantec', 'trendmicro', 'zscaler'],
  ...[
    'bot/',
    'bot;',
    'bot)',
    'bot-',
    'crawler',
    'spider',
    'scanner',
    'uripreview',
    'linkpreview',
    'headlesschrome'
  ],
  ...['facebookexternalhit', 'whatsapp/', 'phantomjs', 'puppeteer', 'playwright'],
  ...['curl/', 'wget/', 'python-', 'python/', 'aiohttp', 'go-http-client', 'java/', 'apache-httpclient'],
  ...['libwww-perl', 'node-fetch', 'axios/', 'undici', 'guzzlehttp', 'ruby', 'okhttp-scan', 'scrapy']
]

/** True if a program names itself as one, or nothing at all. Apple's privacy proxy is exactly `Mozilla/5.0`. */
export function isProgram(userAgent: string | undefined): boolean {
  const name = (userAgent ?? '').trim().toLowerCase()
  return name === '' || name === 'mozilla/5.0' || programs.some((program) => name.includes(program))
}

/** Two links of a message that are followed within this time were followed by a program; in milliseconds. */
const burstWithin = 2000

/** A link of a message that was followed. */
export interface FollowedLink {
  sliceId: number
  subscriberId: number
  /** The id of a counted link, or the name of another one. */
  link: string
  /** UNIX milliseconds. */
  at: number
}

/** How long visits are kept, in milliseconds. */
const visitsKept = 60 * 60 * 1000

/** Stores a visit that counts nothing by itself: of a page, or by HEAD. It may show that clicks near it were those of a program. */
export async function recordVisit(context: CommandContext, followed: FollowedLink): Promise<void> {
  const { sliceId, subscriberId, link, at } = followed
  await context.db
    .deleteFrom('link_visits')
    .where('id', 'in', (select) =>
      select
        .selectFrom('link_visits')
        .select('id')
        .where('occurred_at', '<', at - visitsKept)
        .orderBy('occurred_at')
        .limit(10)
    )
    .execute()
  await context.db
    .insertInto('link_visits')
    .values({ stat_slice_id: sliceId, subscriber_id: subscriberId, link, occurred_at: at })
    .execute()
  await detectBurst(context, followed)
}

/**
 * Marks what was counted within two seconds of a followed link as done by a program, if another link of the message was followed in that time.
 * @returns true if it was
 */
export async function detectBurst(context: CommandContext, followed: FollowedLink): Promise<boolean> {
  const isBurst = await wasAnotherFollowed(context, followed)
  if (isBurst) await markBurst(context, followed)
  return isBurst
}

async function wasAnotherFollowed(
  { db }: CommandContext,
  { sliceId, subscriberId, link, at }: FollowedLink
): Promise<boolean> {
  const click = await db
    .selectFrom('stat_events')
    .select('id')
    .where('stat_slice_id', '=', sliceId)
    .where('type', '=', 'click')
    .where('subscriber_id', '=', subscriberId)
    .where('link_id', '<>', Number(link) || 0)
    .where('occurred_at', '>=', at - burstWithin)
    .where('occurred_at', '<=', at + burstWithin)
    .limit(1)
    .executeTakeFirst()
  if (click) return true
  const visit = await db
    .selectFrom('link_visits')
    .select('id')
    .where('stat_slice_id', '=', sliceId)
    .where('subscriber_id', '=', subscriberId)
    .where('link', '<>', link)
    .where('occurred_at', '>=', at - burstWithin)
    .where('occurred_at', '<=', at + burstWithin)
    .limit(1)
    .executeTakeFirst()
  return visit !== undefined
}

async function markBurst(
  context: CommandContext,
  { sliceId, subscriberId, at }: FollowedLink
): Promise<void> {
  for (const type of ['open', 'click'] as const) {
    const { numUpdatedRows } = await context.db
      .updateTable('stat_events')
      .set({ is_machine: 1 })
      .where('stat_slice_id', '=', sliceId)
      .where('type', '=', type)
      .where('subscriber_id', '=', subscriberId)
      .where('occurred_at', '>=', at - burstWithin)
      .where('occurred_at', '<=', at + burstWithin)
      .where('is_machine', '=', 0)
      .executeTakeFirst()
    const marked = Number(numUpdatedRows)
    if (marked === 0) continue
    const { byPerson } = await earlierEvents(context, { type, sliceId, subscriberId })
    await countMachine(context, sliceId, type, { total: marked, only: byPerson ? 0 : 1 })
  }
}

type CountedType = 'open' | 'click'

/** Tells whether a recipient opened or clicked before, and whether a person did. */
async function earlierEvents(
  { db }: CommandContext,
  { type, sliceId, subscriberId }: { type: CountedType; sliceId: number; subscriberId: number }
): Promise<{ any: boolean; byPerson: boolean }> {
  const found = (isMachine: 0 | 1) =>
    db
      .selectFrom('stat_events')
      .select('id')
      .where('stat_slice_id', '=', sliceId)
      .where('type', '=', type)
      .where('subscriber_id', '=', subscriberId)
      .where('is_machine', '=', isMachine)
      .limit(1)
      .executeTakeFirst()
  const byPerson = (await found(0)) !== undefined
  return { byPerson, any: byPerson || (await found(1)) !== undefined }
}

/** Counts an opening or a click that is about to be stored, as one of a person or of a program. */
export async function countByOrigin(
  context: CommandContext,
  event: { type: CountedType; sliceId: number; subscriberId: number; isMachine: boolean }
): Promise<void> {
  const { any, byPerson } = await earlierEvents(context, event)
  const { type, sliceId, isMachine } = event
  if (isMachine) await countMachine(context, sliceId, type, { total: 1, only: any ? 0 : 1 })
  else if (any && !byPerson) await countMachine(context, sliceId, type, { total: 0, only: -1 })
}

async function countMachine(
  { db }: CommandContext,
  sliceId: number,
  type: CountedType,
  { total, only }: { total: number; only: number }
): Promise<void> {
  const [totals, onlys] = [`${type}s_total`, `${type}s_only`] as const
  await db
    .insertInto('stat_machine_counters')
    .values({ stat_slice_id: sliceId, [totals]: total, [onlys]: only })
    .onConflict((conflict) =>
      conflict.column('stat_slice_id').doUpdateSet((update) => ({
        [totals]: update(`stat_machine_counters.${totals}`, '+', total),
        [onlys]: update(`stat_machine_counters.${onlys}`, '+', only)
      }))
    )
    .execute()
}
