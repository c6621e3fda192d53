import type { Kysely } from 'kysely'
import type { SubscriberStatus } from '../../api/subscribers/schema.ts'
import type { Schema } from '../../database/schema.ts'
import { readReceived } from '../read-received.ts'
import type { BounceClass, BounceReason } from '../reports/reasons.ts'

/** What a report says of a recipient. */
export interface Verdict {
  class: BounceClass | null
  reason: BounceReason | null
  status: string | null
}

/** A recipient of a report that is judged in another way now. */
export interface ChangedVerdict {
  recipientId: number
  before: Verdict
  after: Verdict
}

/** A subscriber whose status would be another one. */
export interface ChangedStatus {
  subscriberId: number
  email: string
  mailingListId: number
  listName: string
  before: SubscriberStatus
  after: SubscriberStatus
}

/** What follows from judging the stored reports of an organization by the rules of now. */
export interface Judgement {
  /** Reports that were read again. */
  reports: number
  verdicts: ChangedVerdict[]
  statuses: ChangedStatus[]
}

const day = 24 * 60 * 60 * 1000

/** Reads all stored bounces again, and returns what would change. */
export async function judgeAgain(db: Kysely<Schema>, organizationId: number): Promise<Judgement> {
  const { reports, verdicts } = await changedVerdicts(db, organizationId)
  return { reports, verdicts, statuses: await changedStatuses(db, organizationId, verdicts) }
}

async function changedVerdicts(
  db: Kysely<Schema>,
  organizationId: number
): Promise<Pick<Judgement, 'reports' | 'verdicts'>> {
  const found: Pick<Judgement, 'reports' | 'verdicts'> = { reports: 0, verdicts: [] }
  for (let last = 0; ;) {
    const message = await db
      .selectFrom('received_messages')
      .select(['id', 'raw'])
      .where('organization_id', '=', organizationId)
      .where('kind', '=', 'bounce')
      .where('raw', 'is not', null)
      .where('id', '>', last)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
    if (!message?.raw) return found
    last = message.id
    found.reports++
    const { report } = await readReceived(message.raw)
    const rows = await db
      .selectFrom('received_recipients')
      .select(['id', 'class', 'reason', 'status'])
      .where('received_message_id', '=', message.id)
      .orderBy('id')
      .execute()
    for (const [index, { id: recipientId, ...before }] of rows.entries()) {
      const recipient = report?.kind === 'bounce' ? report.recipients[index] : undefined
      const after: Verdict = {
        class: recipient?.class ?? null,
        reason: recipient?.reason ?? null,
        status: recipient?.status ?? null
      }
      if (JSON.stringify(before) !== JSON.stringify(after))
        found.verdicts.push({ recipientId, before, after })
    }
  }
}

interface Bounce {
  id: number
  subscriber_id: number
  email: string
  subscriber_status: SubscriberStatus
  mailing_list_id: number
  list_name: string
  class: BounceClass | null
  received_at: number
  updated_status: number
}

async function changedStatuses(
  db: Kysely<Schema>,
  organizationId: number,
  verdicts: readonly ChangedVerdict[]
): Promise<ChangedStatus[]> {
  const rules = await db
    .selectFrom('organizations')
    .select(['soft_bounces', 'soft_bounce_days'])
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
  const bounces: Bounce[] = await db
    .selectFrom('received_recipients')
    .innerJoin('subscribers', 'subscribers.id', 'subscriber_id')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'mailing_list_id')
    .select([
      'received_recipients.id',
      'subscribers.id as subscriber_id',
      'subscribers.email',
      'subscribers.status as subscriber_status',
      'mailing_list_id',
      'mailing_lists.name as list_name',
      'received_recipients.class',
      'received_recipients.received_at',
      'updated_status'
    ])
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .where('is_delayed', '=', 0)
    .orderBy('received_at')
    .execute()
  const judged = new Map(verdicts.map(({ recipientId, after }) => [recipientId, after.class]))
  const bySubscriber = Map.groupBy(bounces, ({ subscriber_id }) => subscriber_id)
  return [...bySubscriber.values()].flatMap((all) => {
    const [first] = all
    if (!first) return []
    const after = statusAfter(first.subscriber_status, all, judged, rules)
    if (after === first.subscriber_status) return []
    const { subscriber_id: subscriberId, email, mailing_list_id: mailingListId, list_name: listName } = first
    return [{ subscriberId, email, mailingListId, listName, before: first.subscriber_status, after }]
  })
}

/** Returns the status of a subscriber by all their bounces. Only what a report has set is taken back. */
function statusAfter(
  before: SubscriberStatus,
  bounces: readonly Bounce[],
  judged: ReadonlyMap<number, BounceClass | null>,
  rules: { soft_bounces: number; soft_bounce_days: number }
): SubscriberStatus {
  const classOf = ({ id, class: stored }: Bounce): BounceClass | null =>
    judged.has(id) ? (judged.get(id) ?? null) : stored
  const soft = bounces.filter((bounce) => classOf(bounce) === 'soft').map(({ received_at }) => received_at)
  const isTooSoft = hasTooMany(soft, rules)
  if (before === 'active') {
    // A hard bounce of before was applied then; who is active since was made so by a person.
    const isNewlyHard = bounces.some((bounce) => classOf(bounce) === 'hard' && bounce.class !== 'hard')
    return isNewlyHard || isTooSoft ? 'bounced' : before
  }
  if (before !== 'bounced' || bounces.every(({ updated_status }) => updated_status === 0)) return before
  const isHard = bounces.some((bounce) => classOf(bounce) === 'hard')
  return isHard || isTooSoft ? before : 'active'
}

/** @param times ascending */
function hasTooMany(
  times: readonly number[],
  { soft_bounces: most, soft_bounce_days: days }: { soft_bounces: number; soft_bounce_days: number }
): boolean {
  if (most === 0) return false
  return times.some((time, index) => {
    const earlier = times[index - most + 1]
    return earlier !== undefined && time - earlier <= days * day
  })
}
