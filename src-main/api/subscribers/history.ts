import { inBackground } from '../../database/command.ts'
import type { StoredValues } from '../custom-fields/rules.ts'
import type { Reaction } from '../autoresponders/waiting-reactions.ts'
import type { SubscriberRow } from './queries.ts'
import type { SubscriberStatus } from './schema.ts'

/** What was changed of one subscriber, each as it was and as it is; what stayed is left out. */
export interface SubscriberChange {
  /** null = the subscriber was added. */
  status?: [before: SubscriberStatus | null, now: SubscriberStatus]
  email?: [before: string, now: string]
  confirmed?: [before: number | null, now: number | null]
  email_format?: [before: string | null, now: string | null]
  subscribe_time?: [before: number, now: number]
  /** By the id of the custom field, as values are stored. */
  fields?: Record<string, [before: unknown, now: unknown]>
  /** The campaign whose link was followed. */
  campaign_id?: number
  /** Who was deleted, so that they can be brought back; `name` is what they are called meanwhile. */
  removed?: RemovedSubscriber
  name?: string
}

/** A subscriber who left the list, with the messages of autoresponders that waited for it. */
export type RemovedSubscriber = [row: SubscriberRow, waiting: Reaction[]]

export const subscriberAttributes = [
  'status',
  'email',
  'confirmed',
  'email_format',
  'subscribe_time'
] as const
export type SubscriberAttribute = (typeof subscriberAttributes)[number]

/** What a change of a subscriber changed. */
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

/** Entries that are looked at by one step. */
const lookedAtOnce = 1000

/**
 * Removes what the change log keeps of people who are gone, of some entries from before a time (UNIX milliseconds): that they were
 * changed is left, and what of them is not.
 * @returns the last entry that was looked at; null at the end
 */
const forgetDetails = inBackground<{ before: number; after: number }, number | null>(
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

export const subscriberHistoryCommands = { forgetDetails }

declare module '../../database/command.ts' {
  interface CommandRegistry {
    subscriberHistory: typeof subscriberHistoryCommands
  }
}
