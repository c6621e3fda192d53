import { type Kysely, sql } from 'kysely'
import { mergeValues } from '../../api/custom-fields/rules.ts'
import { journalStates } from '../../api/journal/schema.ts'
import { serversOfRoute, type SmtpServerRow } from '../../api/smtp-servers/queries.ts'
import type { SubscriberInput } from '../../api/subscribers/schema.ts'
import type { PendingSubscriptionRow } from '../../api/web-forms/queries.ts'
import type { Schema } from '../../database/schema.ts'
import type { Job } from '../../jobs/job-runner.ts'
import type { Mail } from '../recipients.ts'
import type { ConfirmationPlan } from './plan.ts'

/** Returns the forms that have confirmation messages, with the time at which the next one is due, in UNIX milliseconds. */
export async function formsToSend(db: Kysely<Schema>): Promise<Job[]> {
  const { waiting, retry, in_flight } = journalStates
  const rows = await db
    .selectFrom('web_forms')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'web_forms.mailing_list_id')
    .leftJoin('confirmation_deliveries', 'web_form_id', 'web_forms.id')
    .select([
      'web_forms.id',
      'waits_until',
      sql<number>`EXISTS (SELECT 1 FROM pending_subscriptions
        WHERE web_form_id = web_forms.id AND queued_at IS NOT NULL)`.as('isQueued'),
      sql<number | null>`(SELECT min(iif(state = ${sql.lit(in_flight)}, 0, due_at)) FROM stats
        JOIN stat_slices ON stat_slices.stat_id = stats.id
        JOIN message_journal ON message_journal.stat_slice_id = stat_slices.id AND state <> 2
          AND state IN (${sql.lit(waiting)}, ${sql.lit(in_flight)}, ${sql.lit(retry)})
        WHERE stats.web_form_id = web_forms.id)`.as('journaled')
    ])
    .where('deleted_at', 'is', null)
    .orderBy('web_forms.id')
    .execute()
  return rows.flatMap(({ id, waits_until, isQueued, journaled }) => {
    if (isQueued === 0 && journaled === null) return []
    const due = isQueued === 1 ? 0 : (journaled ?? 0)
    return [{ id, dueAt: Math.max(waits_until ?? 0, due) }]
  })
}

/** Returns the SMTP servers of a form's route, which is that of its list; none for the outbox. */
export async function serversOfForm(db: Kysely<Schema>, id: number): Promise<SmtpServerRow[]> {
  const list = await db
    .selectFrom('web_forms')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'web_forms.mailing_list_id')
    .select(['organization_id', 'd_virtual_mta_id'])
    .where('web_forms.id', '=', id)
    .executeTakeFirst()
  return list ? serversOfRoute(db, list.organization_id, list.d_virtual_mta_id ?? 0) : []
}

/** Returns those whose confirmation message is to be sent, longest waiting first. */
export function queuedSubscriptions(
  db: Kysely<Schema>,
  webFormId: number,
  limit: number
): Promise<PendingSubscriptionRow[]> {
  return db
    .selectFrom('pending_subscriptions')
    .selectAll()
    .where('web_form_id', '=', webFormId)
    .where('queued_at', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Tells the messages of a form apart: each subscription has one, and a second one if that was asked for. */
export function numberOf({ id, is_repeated }: PendingSubscriptionRow): number {
  return id * 2 + is_repeated
}

/** Returns the subscription that a message is about; undefined once it was confirmed or discarded. */
export function subscriptionOf(
  db: Kysely<Schema>,
  webFormId: number,
  number: number
): Promise<PendingSubscriptionRow | undefined> {
  return db
    .selectFrom('pending_subscriptions')
    .selectAll()
    .where('id', '=', Math.floor(number / 2))
    .where('web_form_id', '=', webFormId)
    .executeTakeFirst()
}

export function confirmationMail(
  { message, sliceId, webFormId }: ConfirmationPlan,
  row: PendingSubscriptionRow
): Mail {
  const { custom_fields } = JSON.parse(row.subscriber) as SubscriberInput
  // The values were checked when the subscription was asked for; one of a field that has changed since stays blank.
  const values = mergeValues({}, message.fields, custom_fields ?? {}, () => undefined)
  const [content] = message.contents
  return {
    contentId: content.id,
    sliceId,
    addressee: {
      ...{ id: 0, email: row.email, subscribe_time: row.created_at, subscribe_ip: null },
      ...{ values, format: null },
      asked: { subscriptionId: row.id, formId: webFormId }
    },
    isSeed: false
  }
}
