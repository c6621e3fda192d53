import type { CommandContext } from '../../database/command.ts'

const minute = 60_000
const limits = [
  { column: 'messages_per_minute', minutes: 1 },
  { column: 'messages_per_hour', minutes: 60 },
  { column: 'messages_per_day', minutes: 24 * 60 }
] as const

/** What the limits of a server leave. */
export interface Quota {
  /** How many messages it takes now; Infinity without limits. */
  room: number
  /** When it takes more, in UNIX milliseconds; 0 without limits. */
  until: number
}

/** A message that a server was counted for. */
export interface CountedMessage {
  smtpServerId: number
  /** When it was counted, in UNIX milliseconds. */
  at: number
}

/** Takes back the count of messages that their server did not get. */
export function returnQuota({ sqlite }: CommandContext, messages: readonly CountedMessage[]): void {
  const update = sqlite.prepare(
    'UPDATE smtp_usage SET messages = max(0, messages - 1) WHERE smtp_server_id = ? AND minute = ?'
  )
  for (const { smtpServerId, at } of messages) update.run(smtpServerId, Math.floor(at / minute))
}

/**
 * Counts messages against the limits of a server, which hold for the last minute, hour and day, whichever campaign they belong to. If there is not
 * enough room for all, none are counted.
 * @returns what was left before
 */
export async function takeQuota(
  { db, clock }: CommandContext,
  smtpServerId: number,
  messages: number
): Promise<Quota> {
  const server = await db
    .selectFrom('smtp_servers')
    .select(['messages_per_minute', 'messages_per_hour', 'messages_per_day'])
    .where('id', '=', smtpServerId)
    .executeTakeFirst()
  const isLimited = server && limits.some(({ column }) => server[column] > 0)
  if (!isLimited || messages === 0) return { room: Infinity, until: 0 }
  const now = Math.floor(clock / minute)
  const usage = await db
    .selectFrom('smtp_usage')
    .select(['minute', 'messages'])
    .where('smtp_server_id', '=', smtpServerId)
    .where('minute', '>=', now - 24 * 60)
    .orderBy('minute')
    .execute()
  const quotas = limits.flatMap(({ column, minutes }): Quota[] => {
    const most = server[column]
    if (most === 0) return []
    // A minute more: messages leave after they are counted, and the last minute of the period has only begun.
    const recent = usage.filter((each) => each.minute >= now - minutes)
    const used = recent.reduce((sum, each) => sum + each.messages, 0)
    // Room comes when the oldest counted minute leaves the period.
    return [{ room: Math.max(0, most - used), until: ((recent[0]?.minute ?? now) + minutes + 1) * minute }]
  })
  const quota = quotas.reduce((least, each) => (isTighter(each, least) ? each : least))
  if (messages > quota.room) return quota
  await db
    .insertInto('smtp_usage')
    .values({ smtp_server_id: smtpServerId, minute: now, messages })
    .onConflict((conflict) =>
      conflict.doUpdateSet((set) => ({ messages: set('smtp_usage.messages', '+', messages) }))
    )
    .execute()
  await db
    .deleteFrom('smtp_usage')
    .where('smtp_server_id', '=', smtpServerId)
    .where('minute', '<', now - 24 * 60)
    .execute()
  return quota
}

function isTighter(quota: Quota, other: Quota): boolean {
  return quota.room < other.room || (quota.room === other.room && quota.until > other.until)
}
