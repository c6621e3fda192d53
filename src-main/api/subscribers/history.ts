import { inBackground } from '../../database/command.ts'
import type { StoredValues } from '../custom-fields/rules.ts'
import type { Reaction } from '../autoresponders/waiting-reactions.ts'
import type { SubscriberRow } from './queries.ts'
import type { SubscriberStatus } from './schema.ts'

/** The changed properties of a subscriber, before and after. */
export interface SubscriberChange {
  /** null = the subscriber was added. */
  status?: [before: SubscriberStatus | null, now: SubscriberStatus]
  email?: [before: string, now: string]
  confirmed?: [before: number | null, now: number | null]
  email_format?: [before: string | null, now: string | null]
  subscribe_time?: [before: number, now: number]
  /** By custom field id, as stored. */
  fields?: Record<string, [before: unknown, now: unknown]>
  /** The campaign whose link was followed. */
  campaign_id?: number
  /** A deleted subscriber, so that it can be restored; `name` is shown meanwhile. */
  removed?: RemovedSubscriber
  name?: string
}

/** A subscriber who left the list, with its queued autoresponder messages. */
export type RemovedSubscriber = [row: SubscriberRow, waiting: Reaction[]]

export const subscriberAttributes = [
  'status',
  'email',
  'confirmed',
  'email_format',
  'subscribe_time'
] as const
export type SubscriberAttribute = (typeof subscriberAttributes)[number]

export function differences(before: SubscriberRow, now: SubscriberRow): SubscriberChange {
  const changed = subscriberAttributes.filter((name) => before[name] !== now[name])
  const fields = differingFields(before.custom_fields, now.custom_fields)
  return {
    ...Object.fromEntries(changed.map((name) => [name, [before[name], now[name]]])),
    ...(Object.keys(fields).length > 0 && { fields })
  }
}

function differingFields(before: string, now: string): NonNullable<SubscriberChange['fields']> {
  if (before === now) return {}
  const [old, values] = [JSON.parse(before) as StoredValues, JSON.parse(now) as StoredValues]
  const ids = new Set([...Object.keys(old), ...Object.keys(values)])
  return Object.fromEntries(
    [...ids]
      .filter((id) => JSON.stringify(old[id]) !== JSON.stringify(values[id]))
      .map((id) => [id, [old[id] ?? null, values[id] ?? null]])
  )
}

const lookedAtOnce = 1000

/**
 * Deletes the details of changes of deleted subscribers, in entries before a time (UNIX milliseconds); the
 * entries stay.
 * @returns the last processed entry; null at the end
 */
const deleteDetails = inBackground<{ before: number; after: number }, number | null>(
  async ({ db }, { before, after }) => {
    const some = await db
      .selectFrom('change_log')
      .leftJoin('subscribers', 'subscribers.id', 'change_log.first_id')
      .select(['change_log.id', 'entity', 'subscribers.id as subscriber_id'])
      .where('details', 'is not', null)
      .where('change_log.id', '>', after)
      .where('at', '<', before)
      .orderBy('change_log.id')
      .limit(lookedAtOnce)
      .execute()
    const gone = some.filter(({ entity, subscriber_id }) => entity === 'subscriber' && subscriber_id === null)
    await db
      .updateTable('change_log')
      .set({ details: null })
      .where(
        'id',
        'in',
        gone.map(({ id }) => id)
      )
      .execute()
    return some.at(-1)?.id ?? null
  }
)

export const subscriberHistoryCommands = { deleteDetails }

declare module '../../database/command.ts' {
  interface CommandRegistry {
    subscriberHistory: typeof subscriberHistoryCommands
  }
}
