import type { ExpressionBuilder, Kysely, Selectable } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { SubscribersTable } from './tables.ts'
import { blocksPerGroup, firstIdOfBlock } from '../subscriber-counts/tally.ts'
import { notFound } from '../../base/errors.ts'
import { emailKey, type SubscriberKeys } from './rules.ts'
import { compiledQuery } from '../../database/compiled-query.ts'
import { remembered } from '../../database/remembered.ts'

export type SubscriberRow = Selectable<SubscribersTable>

/** The columns that an answer is made of. */
const presentedColumns = [
  'id',
  'mailing_list_id',
  'email',
  'created_at',
  'email_format',
  'confirmed',
  'status',
  'subscribe_time',
  'subscribe_ip',
  'custom_fields'
] as const satisfies (keyof SubscriberRow)[]

export type PresentedRow = Pick<SubscriberRow, (typeof presentedColumns)[number]>

/** Up to `limit` subscribers of the list with an id above `afterId`, by id. */
export function subscribersAfter(
  db: Kysely<Schema>,
  mailingListId: number,
  afterId: number,
  limit: number
): Promise<PresentedRow[]> {
  return rowsAfter(db, { mailingListId, afterId, limit })
}

const rowsAfter = compiledQuery<{ mailingListId: number; afterId: number; limit: number }, PresentedRow>(
  (db, value) =>
    db
      .selectFrom('subscribers')
      .select(presentedColumns)
      .where('mailing_list_id', '=', value('mailingListId'))
      .where('id', '>', value('afterId'))
      .orderBy('id')
      .limit(value('limit'))
)

/**
 * Returns up to `limit` subscribers of the list from position `position` (0 = first by id). The blocks of ids
 * lead to the position, so late pages cost the same as early ones.
 */
export async function subscribersAt(
  db: Kysely<Schema>,
  mailingListId: number,
  position: number,
  limit: number
): Promise<PresentedRow[]> {
  const block = await blockAt(db, mailingListId, position)
  if (!block) return []
  const firstId = firstIdOfBlock(block.number)
  // Within one block: fewer than 1024 ids are passed over.
  return rowsFrom(db, { mailingListId, firstId, skipped: block.remaining, limit })
}

const rowsFrom = compiledQuery<
  { mailingListId: number; firstId: number; skipped: number; limit: number },
  PresentedRow
>((db, value) => {
  const start = db
    .selectFrom('subscribers')
    .select('id')
    .where('mailing_list_id', '=', value('mailingListId'))
    .where('id', '>=', value('firstId'))
    .orderBy('id')
    .limit(1)
    .offset(value('skipped'))
  return db
    .selectFrom('subscribers')
    .select(presentedColumns)
    .where('mailing_list_id', '=', value('mailingListId'))
    .where('id', '>=', start)
    .orderBy('id')
    .limit(value('limit'))
})

/** The block that holds a position, and how many of its subscribers come before it. */
async function blockAt(
  db: Kysely<Schema>,
  mailingListId: number,
  position: number
): Promise<{ number: number; remaining: number } | undefined> {
  const groups = await remembered(db, `groups of blocks ${mailingListId}`, () =>
    groupsOfBlocks(db, { mailingListId })
  )
  const group = holderOf(groups, position)
  if (!group) return undefined
  const first = group.number * blocksPerGroup
  const blocks = await remembered(db, `blocks ${mailingListId} ${first}`, () =>
    blocksBetween(db, { mailingListId, first, end: first + blocksPerGroup })
  )
  return holderOf(blocks, group.remaining)
}

interface Run {
  number: number
  subscribers: number
}

const groupsOfBlocks = compiledQuery<{ mailingListId: number }, Run>((db, value) =>
  db
    .selectFrom('subscriber_block_groups')
    .select(['block_group as number', 'subscribers'])
    .where('mailing_list_id', '=', value('mailingListId'))
    .orderBy('block_group')
)

const blocksBetween = compiledQuery<{ mailingListId: number; first: number; end: number }, Run>((db, value) =>
  db
    .selectFrom('subscriber_blocks')
    .select(['block as number', 'subscribers'])
    .where('mailing_list_id', '=', value('mailingListId'))
    .where('block', '>=', value('first'))
    .where('block', '<', value('end'))
    .orderBy('block')
)

/** Finds the range of subscribers that contains a position, and how many come before it. */
function holderOf(runs: readonly Run[], position: number): { number: number; remaining: number } | undefined {
  let remaining = position
  for (const { number, subscribers } of runs) {
    if (remaining < subscribers) return { number, remaining }
    remaining -= subscribers
  }
  return undefined
}

const subscriberById = compiledQuery<{ mailingListId: number; id: number }, SubscriberRow>((db, value) =>
  db
    .selectFrom('subscribers')
    .selectAll()
    .where('id', '=', value('id'))
    .where('mailing_list_id', '=', value('mailingListId'))
)

/**
 * The subscribers of a list that an id or an email names: one, or several where an email is shared.
 * @param limit most of those who share an email, those with the lowest ids
 */
export async function subscribersNamed(
  db: Kysely<Schema>,
  mailingListId: number,
  names: readonly SubscriberName[],
  limit?: number
): Promise<SubscriberRow[]> {
  const ids = names.flatMap((name) => ('id' in name ? [name.id] : []))
  const keys = names.flatMap((name) => ('email' in name ? [emailKey(name.email)] : []))
  const found = new Map<number, SubscriberRow>()
  if (ids.length > 0) {
    const [id = 0] = ids
    const rows =
      ids.length === 1
        ? await subscriberById(db, { mailingListId, id })
        : await db
            .selectFrom('subscribers')
            .selectAll()
            .where('id', 'in', ids)
            .where('mailing_list_id', '=', mailingListId)
            .execute()
    for (const row of rows) found.set(row.id, row)
  }
  if (keys.length > 0) {
    const rows = await db
      .selectFrom('subscribers')
      .selectAll()
      .$if(limit === undefined, (query) => query.where((where) => hasEmailKey(where, [mailingListId], keys)))
      .$if(limit !== undefined, (query) =>
        query.where(
          'id',
          'in',
          idsOfEmails(db, [mailingListId], keys)
            .orderBy('id')
            .limit(limit ?? 0)
        )
      )
      .execute()
    for (const row of rows) found.set(row.id, row)
  }
  return [...found.values()].sort((a, b) => a.id - b.id)
}

/** Returns the id of the subscriber with these keys, or undefined. */
export async function subscriberWithKeys(
  db: Kysely<Schema>,
  mailingListId: number,
  { emailKey, alternateKey }: SubscriberKeys
): Promise<number | undefined> {
  const [found] = await (alternateKey === null
    ? idOfEmail(db, { mailingListId, emailKey })
    : idOfAlternateKey(db, { mailingListId, alternateKey }))
  return found?.id
}

const idOfEmail = compiledQuery<{ mailingListId: number; emailKey: string }, { id: number }>((db, value) =>
  db
    .selectFrom('subscribers')
    .select('id')
    .where('mailing_list_id', '=', value('mailingListId'))
    .where('email_key', '=', value('emailKey'))
    .where('alternate_key', 'is', null)
)

const idOfAlternateKey = compiledQuery<
  { mailingListId: number; alternateKey: NonNullable<SubscriberKeys['alternateKey']> },
  { id: number }
>((db, value) =>
  db
    .selectFrom('subscribers')
    .select('id')
    .where('mailing_list_id', '=', value('mailingListId'))
    .where('alternate_key', '=', value('alternateKey'))
)

export type SubscriberName = { id: number } | { email: string }

/** Reads `:subscriber_id_or_email` of a path: digits are an id, everything else is an email. */
export function subscriberName(text: string): SubscriberName {
  return /^\d{1,15}$/.test(text) ? { id: Number(text) } : { email: text }
}

/** Splits the ids and emails of a path at its commas, but not at one of a quoted local part: "a,b"@example.com. */
export function subscriberNames(text: string): string[] {
  const names = text.match(/(?:"(?:\\.|[^"\\])*"|[^,])+/g) ?? []
  return names.filter((name) => name.trim() !== '')
}

/** The two partial indexes on the email cover lists with and without an alternate primary key. */
function hasEmailKey(
  where: ExpressionBuilder<Schema, 'subscribers'>,
  mailingListIds: number[],
  keys: string[]
) {
  const matches = where.and([where('mailing_list_id', 'in', mailingListIds), where('email_key', 'in', keys)])
  return where.or([
    where.and([matches, where('alternate_key', 'is', null)]),
    where.and([matches, where('alternate_key', 'is not', null)])
  ])
}

export interface FoundByEmail {
  id: number
  status: SubscriberRow['status']
  email: string
  mailing_list_id: number
}

/** Ids alone are read from the index: an alternate primary key lets a whole list share an email. */
function idsOfEmails(db: Kysely<Schema>, mailingListIds: number[], keys: string[]) {
  return db
    .selectFrom('subscribers')
    .select('id')
    .where((where) => hasEmailKey(where, mailingListIds, keys))
}

/** Some of the subscribers with this email on any of the lists, by id, and how many there are in all. */
export async function subscribersByEmail(
  db: Kysely<Schema>,
  mailingListIds: number[],
  email: string,
  { afterId, offset, limit }: { afterId: number; offset: number; limit: number }
): Promise<{ rows: FoundByEmail[]; total: number }> {
  if (mailingListIds.length === 0) return { rows: [], total: 0 }
  const keys = [emailKey(email)]
  const found = db.selectFrom('subscribers').select(['id', 'status', 'email', 'mailing_list_id'])
  if (afterId === 0 && offset === 0) {
    const all = await found
      .where((where) => hasEmailKey(where, mailingListIds, keys))
      .limit(limit)
      .execute()
    // In nearly all cases these are all matches, so neither the ordered query nor the count is needed.
    if (all.length < limit) return { rows: all.sort((a, b) => a.id - b.id), total: all.length }
  }
  const ids = idsOfEmails(db, mailingListIds, keys)
  const rows = await found
    .where('id', 'in', ids.where('id', '>', afterId).orderBy('id').limit(limit).offset(offset))
    .orderBy('id')
    .execute()
  const { total } = await db
    .selectFrom(ids.as('named'))
    .select((select) => select.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total }
}

/** A subscriber with what a link in a message needs of its list and organization; deleted_at is the list's. */
export function subscriberWithList(db: Kysely<Schema>, id: number) {
  return db
    .selectFrom('subscribers')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'subscribers.mailing_list_id')
    .innerJoin('organizations', 'organizations.id', 'mailing_lists.organization_id')
    .select([
      'subscribers.id',
      'subscribers.email',
      'subscribers.status',
      'subscribers.remove_time',
      'subscribers.remove_ip',
      'subscribers.updated_at',
      'subscribers.mailing_list_id',
      'organization_id',
      'time_zone_name',
      'deleted_at'
    ])
    .where('subscribers.id', '=', id)
    .executeTakeFirst()
}

/**
 * Returns the properties of a subscriber that messages use.
 * @throws ApiError not_found
 */
export async function subscriberOfList(db: Kysely<Schema>, mailingListId: number, id: number) {
  const row = await db
    .selectFrom('subscribers')
    .select(['id', 'email', 'subscribe_time', 'subscribe_ip', 'custom_fields'])
    .where('mailing_list_id', '=', mailingListId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('subscriber', id)
  return row
}
