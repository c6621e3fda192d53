import type { Kysely } from 'kysely'
import { removedAmong } from '../api/remote-lists/queries.ts'
import { isRemoteId, remoteIdOf, seqIdOf } from '../api/remote-lists/recipient-ids.ts'
import { suppressedAmong } from '../api/suppression-lists/queries.ts'
import type { Schema } from '../database/schema.ts'
import type { SpooledRecipient, SpoolReader } from '../remote-lists/spool.ts'
import type { DeliveryPlan } from './plan.ts'
import { activeAmong, type RecipientRow, recipientsAfter } from './queries.ts'

/** Where a campaign gets its recipients from. */
export interface RecipientSource {
  /** By id. */
  after: (id: number, limit: number) => Promise<RecipientRow[]>
  /** Returns those of some recipients who may still get messages. */
  findByIds: (ids: readonly number[]) => Promise<RecipientRow[]>
  /** Returns those of some addresses that get none: they are suppressed, or have removed themselves from a Remote List. */
  leftOut: (emails: string[]) => Promise<Set<string>>
  close: () => void
}

/** The active subscribers of a list who are in a campaign's segment. */
export function subscribersOf(reader: Kysely<Schema>, { recipients }: DeliveryPlan): RecipientSource {
  return {
    after: (id, limit) => recipientsAfter(reader, recipients, id, limit),
    findByIds: (ids) => activeAmong(reader, ids),
    leftOut: (emails) => suppressedAmong(reader, recipients, emails),
    close: () => undefined
  }
}

/** The recipients of a Remote List, as they were read before the first message. */
export function spooledRecipients(
  reader: Kysely<Schema>,
  { recipients, remote }: DeliveryPlan,
  spool: SpoolReader
): RecipientSource {
  return {
    after: async (id, limit) => spool.after(isRemoteId(id) ? seqIdOf(id) : 0, limit).map(rowOf),
    findByIds: async (ids) => spool.findByIds(ids.map(seqIdOf)).map(rowOf),
    leftOut: async (emails) => {
      const suppressed = await suppressedAmong(reader, recipients, emails)
      const asked = { mailingListId: recipients.mailingListId, readAt: remote?.spool?.readAt ?? 0 }
      const removed = await removedAmong(reader, asked, emails)
      return new Set([...suppressed, ...removed])
    },
    close: () => spool.close()
  }
}

function rowOf({ seq_id, email, distinct_id, field_values }: SpooledRecipient): RecipientRow {
  return {
    ...{ id: remoteIdOf(seq_id), email, distinct_id, custom_fields: field_values },
    // The database knows when they subscribed; Listwright does not.
    ...{ subscribe_time: 0, subscribe_ip: null, email_format: 'html' }
  }
}
