import { changeSubscriber } from '../../api/subscribers/commands.ts'
import { subscribersNamed } from '../../api/subscribers/queries.ts'
import type { SubscriberChanges } from '../../api/subscribers/schema.ts'
import { validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import type { Command } from '../../database/command.ts'
import { conflictById, remoteById } from '../queries.ts'
import type { NotedConflict } from '../run-context.ts'
import type { LinkedKind, Side } from '../schema.ts'
import { type RemoteInput, requestRun } from './remotes.ts'

const recordConflicts: Command<{ remoteId: number; conflicts: NotedConflict[] }, number> = async (
  { db, now },
  { remoteId, conflicts }
) => {
  let added = 0
  for (const { kind, mailingListId, localId, name, field, local, remote, keep } of conflicts) {
    const own = { remote_id: remoteId, kind, local_id: localId, field }
    const values = {
      mailing_list_id: mailingListId,
      name,
      local_value: JSON.stringify(local ?? null),
      remote_value: JSON.stringify(remote ?? null),
      kept: keep,
      at: now,
      resolved_at: keep && now
    }
    // A conflict is found again in each run until it is decided.
    const { numUpdatedRows } = await db
      .updateTable('sync_conflicts')
      .set(values)
      .where('remote_id', '=', remoteId)
      .where('kind', '=', kind)
      .where('local_id', '=', localId)
      .where('field', '=', field)
      .where('kept', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows > 0n) continue
    await db
      .insertInto('sync_conflicts')
      .values({ ...own, ...values, decision: null })
      .execute()
    added++
  }
  return added
}

interface DecideInput extends RemoteInput {
  conflictId: number
  keep: Side
  timeZone: string
}

/**
 * Decides which value both sides get. A conflict that a rule decided before can be decided again: the value is then written here
 * now, and to the remote by the next run.
 * @throws ApiError not_found, or the reason why the value cannot be written here
 */
const decideConflict: Command<DecideInput, void> = async (context, input) => {
  const row = await remoteById(context.db, input.organizationId, input.id)
  const conflict = await conflictById(context.db, row.id, input.conflictId)
  const isReversed = conflict.kept !== null && conflict.kept !== input.keep
  if (conflict.kept === input.keep) return
  if (isReversed) {
    if (conflict.kind !== 'subscriber' || conflict.mailing_list_id === null) {
      throw validationFailed(refusal('conflict_of_record'))
    }
    if (conflict.field === 'removed') {
      throw validationFailed(refusal('conflict_of_membership'))
    }
    const scope = {
      organizationId: input.organizationId,
      timeZone: input.timeZone,
      mailingListId: conflict.mailing_list_id
    }
    const [subscriber] = await subscribersNamed(context.db, scope.mailingListId, [{ id: conflict.local_id }])
    if (!subscriber) throw validationFailed(refusal('no_longer_on_list'))
    const kept = input.keep === 'local' ? conflict.local_value : conflict.remote_value
    await changeSubscriber(context, scope, subscriber, changeOf(conflict.field, JSON.parse(kept)))
  }
  await context.db
    .updateTable('sync_conflicts')
    // After an undo the local value is the wanted one, which the next run sends to the remote.
    .set({ decision: isReversed ? 'local' : input.keep, kept: input.keep, resolved_at: context.now })
    .where('id', '=', conflict.id)
    .execute()
  await requestRun(context, input)
}

const attributes = ['email', 'status', 'subscribe_time', 'subscribe_ip', 'email_format', 'confirmed']

function changeOf(field: string, value: unknown): Partial<SubscriberChanges> {
  return attributes.includes(field) ? { [field]: value } : { custom_fields: { [field]: value } }
}

const resolveDecisions: Command<{ remoteId: number; kind: LinkedKind; localIds: number[] }, void> = async (
  { db },
  { remoteId, kind, localIds }
) => {
  await db
    .updateTable('sync_conflicts')
    .set({ decision: null })
    .where('remote_id', '=', remoteId)
    .where('kind', '=', kind)
    .where('local_id', 'in', localIds)
    .where('decision', 'is not', null)
    .execute()
}

export const conflictCommands = {
  recordNewConflicts: recordConflicts,
  decide: decideConflict,
  markDecisionsApplied: resolveDecisions
}
