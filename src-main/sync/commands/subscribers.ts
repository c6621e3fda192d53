import { type Refusal } from '../../base/refusal.ts'
import {
  addSubscriber,
  changeSubscriber,
  deleteSubscribers,
  type SubscriberScope
} from '../../api/subscribers/commands.ts'
import { type SubscriberRow, subscribersNamed, subscriberWithKeys } from '../../api/subscribers/queries.ts'
import type { SubscriberKeys } from '../../api/subscribers/rules.ts'
import type { SubscriberChanges } from '../../api/subscribers/schema.ts'
import { addSuppressed } from '../../api/suppression-lists/commands.ts'
import { suppressedRowOf } from '../../api/suppression-lists/rules.ts'
import { ApiError, refusalOf } from '../../base/errors.ts'
import { type CommandContext, inBackground } from '../../database/command.ts'
import { isRemoved } from '../subscribers/statuses.ts'

/** A subscriber that both sides have: its ids, and its agreed state (agreed.ts). */
export type AgreedRow = [localId: number, theirId: number | null, agreed: Uint8Array]

const recordSubscribers = inBackground<{ syncListId: number; rows: AgreedRow[] }, void>(
  async ({ sqlite }, { syncListId, rows }) => {
    // Runs a million times in a first mirror, so the statement is prepared once.
    const insert = sqlite.prepare(
      // An id that the remote gave to another subscriber before is not believed: a scan finds the right one.
      `INSERT INTO sync_subscribers (sync_list_id, local_id, their_id, agreed)
       VALUES (@list, @local, iif(EXISTS (SELECT 1 FROM sync_subscribers
         WHERE sync_list_id = @list AND their_id = @their AND local_id <> @local), NULL, @their), @agreed)
       ON CONFLICT (sync_list_id, local_id)
       DO UPDATE SET their_id = coalesce(excluded.their_id, their_id), agreed = excluded.agreed`
    )
    for (const [local, their, agreed] of rows) insert.run({ list: syncListId, local, their, agreed })
  }
)

export type IdentifiedRow = [localId: number, theirId: number]

const identifySubscribers = inBackground<{ syncListId: number; rows: IdentifiedRow[] }, void>(
  async ({ sqlite }, { syncListId, rows }) => {
    const update = sqlite.prepare(
      'UPDATE sync_subscribers SET their_id = ? WHERE sync_list_id = ? AND local_id = ?'
    )
    for (const [localId, theirId] of rows) update.run(theirId, syncListId, localId)
  }
)

const deleteAgreedSubscribers = inBackground<{ syncListId: number; localIds: number[] }, void>(
  async ({ db }, { syncListId, localIds }) => {
    await db
      .deleteFrom('sync_subscribers')
      .where('sync_list_id', '=', syncListId)
      .where('local_id', 'in', localIds)
      .execute()
  }
)

/** A change of the remote that is applied here. */
export type Application =
  | {
      is: 'create'
      theirId: number
      keys: SubscriberKeys
      subscriber: SubscriberChanges
      agreed: Uint8Array
    }
  | (Existing & { is: 'update'; theirId: number; subscriber: SubscriberChanges; agreed: Uint8Array })
  | (Existing & { is: 'delete' })

/** A local subscriber as the run read it. If it was changed since, the next run handles it. */
interface Existing {
  localId: number
  /** UNIX milliseconds. */
  updatedAt: number
}

export interface ApplyInput {
  syncListId: number
  scope: SubscriberScope
  changes: Application[]
}

/**
 * Applies changes of the remote to subscribers, and stores the agreed state in the same transaction.
 * @returns the refused changes, by their place in the input
 */
const applySubscribers = inBackground<ApplyInput, { at: number; fault: Refusal }[]>(
  async (context, { syncListId, scope, changes }) => {
    const refusals: { at: number; fault: Refusal }[] = []
    for (const [at, change] of changes.entries()) {
      try {
        await applyChange(context, syncListId, scope, change)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        refusals.push({ at, fault: refusalOf(error) })
      }
    }
    return refusals
  }
)

async function applyChange(
  context: CommandContext,
  syncListId: number,
  scope: SubscriberScope,
  change: Application
): Promise<void> {
  switch (change.is) {
    case 'create': {
      // A subscriber with the same key was added here meanwhile. The next run links the two.
      if ((await subscriberWithKeys(context.db, scope.mailingListId, change.keys)) !== undefined) return
      const { email = '', status = 'active', ...rest } = change.subscriber
      const { id } = await addSubscriber(context, { ...scope, subscriber: { ...rest, email, status } })
      return storeAgreed(context, syncListId, id, change.theirId, change.agreed)
    }
    case 'update': {
      const [row] = await subscribersNamed(context.db, scope.mailingListId, [{ id: change.localId }])
      if (row?.updated_at !== change.updatedAt) return
      await changeOrSilence(context, scope, row, change.subscriber)
      return storeAgreed(context, syncListId, change.localId, change.theirId, change.agreed)
    }
    case 'delete': {
      const [row] = await subscribersNamed(context.db, scope.mailingListId, [{ id: change.localId }])
      if (row && row.updated_at !== change.updatedAt) return
      if (row) await deleteSubscribers(context, { ...scope, name: { id: row.id } })
      await context.db
        .deleteFrom('sync_subscribers')
        .where('sync_list_id', '=', syncListId)
        .where('local_id', '=', change.localId)
        .execute()
    }
  }
}

/**
 * Changes a subscriber. If the change is refused but the remote has unsubscribed them, their status is changed nevertheless.
 * @throws ApiError the refusal
 */
async function changeOrSilence(
  context: CommandContext,
  scope: SubscriberScope,
  row: SubscriberRow,
  changes: SubscriberChanges
): Promise<void> {
  try {
    await changeSubscriber(context, scope, row, changes)
  } catch (error) {
    const { status } = changes
    if (status !== undefined && isRemoved(status)) await changeSubscriber(context, scope, row, { status })
    throw error
  }
}

async function storeAgreed(
  { db }: CommandContext,
  syncListId: number,
  localId: number,
  theirId: number | null,
  agreed: Uint8Array
): Promise<void> {
  const values = { agreed, ...(theirId !== null && { their_id: theirId }) }
  await db
    .insertInto('sync_subscribers')
    .values({ sync_list_id: syncListId, local_id: localId, their_id: theirId, agreed })
    .onConflict((conflict) => conflict.columns(['sync_list_id', 'local_id']).doUpdateSet(values))
    .execute()
}

/** Adds addresses of the remote to a suppression list. Existing ones do not change. */
const suppressAddresses = inBackground<{ suppressionListId: number; addresses: string[] }, void>(
  async (context, { suppressionListId, addresses }) => {
    // Each address has a user who added it; for those from a sync it is the first administrator.
    const { id: userId } = await context.db
      .selectFrom('users')
      .innerJoin('suppression_lists', 'suppression_lists.organization_id', 'users.organization_id')
      .select('users.id')
      .where('suppression_lists.id', '=', suppressionListId)
      .orderBy('users.id')
      .executeTakeFirstOrThrow()
    const rows = addresses.flatMap((address) => suppressedRowOf(address) ?? [])
    await addSuppressed(context, { suppression_list_id: suppressionListId, user_id: userId }, rows)
  }
)

export const subscriberCommands = {
  noteSubscribers: recordSubscribers,
  identifySubscribers,
  deleteAgreedSubscribers,
  applySubscribers,
  suppress: suppressAddresses
}
