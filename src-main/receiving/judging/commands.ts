import { SubscriberTally } from '../../api/subscriber-counts/tally.ts'
import type { SubscriberStatus } from '../../api/subscribers/schema.ts'
import { notFound, validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { type Command, type CommandContext, recordOne } from '../../database/command.ts'
import type { ChangedStatus, ChangedVerdict, Judgement, Verdict } from './judgement.ts'

/**
 * Applies a judgement: subscribers whose status has changed since it was made stay as they are. Statistics stay as they were counted.
 * @returns its id, and how many subscribers it has changed
 */
const applyJudgement: Command<
  { organizationId: number; judgement: Judgement },
  { id: number; changed: number }
> = async (context, { organizationId, judgement: { reports, verdicts, statuses } }) => {
  for (const { recipientId, after } of verdicts) await setVerdict(context, recipientId, after)
  const changed: ChangedStatus[] = []
  for (const each of statuses) {
    if (await setStatus(context, organizationId, each, each.before, each.after)) changed.push(each)
  }
  const { id } = await context.db
    .insertInto('judgements')
    .values({
      ...{ organization_id: organizationId, reports, judged_at: context.now },
      verdicts: JSON.stringify(verdicts),
      statuses: JSON.stringify(changed)
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  recordOne(context, 'judgement', 'create', { organizationId }, id)
  return { id, changed: changed.length }
}

/** Undoes a judgement: subscribers whose status was changed since stay as they are. @throws ApiError not_found, validation_failed the second time */
const undoJudgement: Command<{ organizationId: number; id: number }, { changed: number }> = async (
  context,
  { organizationId, id }
) => {
  const row = await context.db
    .selectFrom('judgements')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('judgement', id)
  if (row.undone_at !== null) throw validationFailed(refusal('judgement_undone'))
  for (const { recipientId, before } of JSON.parse(row.verdicts) as ChangedVerdict[]) {
    await setVerdict(context, recipientId, before)
  }
  let changed = 0
  for (const each of JSON.parse(row.statuses) as ChangedStatus[]) {
    if (await setStatus(context, organizationId, each, each.after, each.before)) changed++
  }
  await context.db.updateTable('judgements').set({ undone_at: context.now }).where('id', '=', id).execute()
  recordOne(context, 'judgement', 'update', { organizationId }, id)
  return { changed }
}

async function setVerdict({ db }: CommandContext, recipientId: number, verdict: Verdict): Promise<void> {
  await db
    .updateTable('received_recipients')
    .set({ ...verdict })
    .where('id', '=', recipientId)
    .execute()
}

async function setStatus(
  context: CommandContext,
  organizationId: number,
  { subscriberId, mailingListId }: ChangedStatus,
  from: SubscriberStatus,
  to: SubscriberStatus
): Promise<boolean> {
  const { numUpdatedRows } = await context.db
    .updateTable('subscribers')
    .set({ status: to, updated_at: context.now })
    .where('id', '=', subscriberId)
    .where('mailing_list_id', '=', mailingListId)
    .where('status', '=', from)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  // What it has set, a later judgement may take back.
  await context.db
    .updateTable('received_recipients')
    .set({ updated_status: Number(to === 'bounced') })
    .where('subscriber_id', '=', subscriberId)
    .execute()
  const tally = new SubscriberTally(mailingListId)
  tally.moved(from, to)
  await tally.save(context)
  recordOne(context, 'subscriber', 'update', { organizationId, mailingListId }, subscriberId, {
    status: [from, to]
  })
  return true
}

export const judgementCommands = { apply: applyJudgement, undo: undoJudgement }

declare module '../../database/command.ts' {
  interface CommandRegistry {
    judgements: typeof judgementCommands
  }
}
