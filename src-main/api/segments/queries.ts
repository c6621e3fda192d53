import { type Kysely, type Selectable, sql, type SqlBool } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { SegmentsTable } from './tables.ts'
import { notFound, validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { formatTime } from '../../base/times.ts'
import { importNames } from '../subscriber-imports/name-queries.ts'
import type { SubscriberRow } from '../subscribers/queries.ts'
import { type SubscriberStatus, subscriberStatuses } from '../subscribers/schema.ts'
import { meetsAll } from './condition-queries.ts'
import { type Condition, leavesOf, listIdsOf } from './conditions.ts'
import { describeClause, type Names } from './describe.ts'
import type { Segment, SegmentationCriteria, SegmentSummary } from './schema.ts'
import { type Moment, resolveConditions, type SettledCondition } from './settled.ts'
import { type Page, pageOf } from '../../http/pagination.ts'

export interface SegmentScope {
  mailingListId: number
  clause: readonly SettledCondition[]
}

export type SegmentCounts = Record<SubscriberStatus, number>

/** Members by id: after an id, or from a position (0 = first). */
export type SegmentPage = { limit: number } & ({ afterId: number } | { position: number })

export type SegmentRow = Selectable<SegmentsTable>
/** A segment with a name of its own; others belong to a campaign or export. */
export type StoredSegmentRow = SegmentRow & { name: string }

function segmentsOf(db: Kysely<Schema>, organizationId: number, mailingListId: number | null) {
  return db
    .selectFrom('segments')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'segments.mailing_list_id')
    .selectAll('segments')
    .where('mailing_lists.organization_id', '=', organizationId)
    .where('mailing_lists.deleted_at', 'is', null)
    .$if(mailingListId !== null, (query) => query.where('segments.mailing_list_id', '=', mailingListId))
}

export interface SegmentFilter {
  /** Exact, ignoring case. */
  name?: string
  name_contains?: string
}

export async function storedSegments(
  db: Kysely<Schema>,
  organizationId: number,
  mailingListId: number | null,
  { name, name_contains }: SegmentFilter,
  page: Page
): Promise<{ rows: StoredSegmentRow[]; total: number }> {
  let query = segmentsOf(db, organizationId, mailingListId).where('segments.name', 'is not', null)
  if (name !== undefined) query = query.where('name_key', '=', name.trim().toLowerCase())
  if (name_contains !== undefined) {
    query = query.where(sql<SqlBool>`instr(name_key, ${name_contains.toLowerCase()}) > 0`)
  }
  return pageOf(query.$narrowType<{ name: string }>().orderBy('segments.id'), page)
}

export async function segmentsReferringTo(
  db: Kysely<Schema>,
  organizationId: number,
  mailingListId: number
): Promise<StoredSegmentRow[]> {
  const rows = await segmentsOf(db, organizationId, null)
    .where('segments.name', 'is not', null)
    .where('segments.mailing_list_id', '!=', mailingListId)
    .orderBy('segments.id')
    .$narrowType<{ name: string }>()
    .execute()
  return rows.filter((row) => listIdsOf(clauseOf(row)).includes(mailingListId))
}

/** Including ad hoc segments, by id. */
export function allSegments(db: Kysely<Schema>, organizationId: number): Promise<SegmentRow[]> {
  return segmentsOf(db, organizationId, null).orderBy('segments.id').execute()
}

/** A stored segment. @throws ApiError not_found */
export async function storedSegmentById(
  db: Kysely<Schema>,
  organizationId: number,
  id: number
): Promise<StoredSegmentRow> {
  const row = await segmentsOf(db, organizationId, null).where('segments.id', '=', id).executeTakeFirst()
  if (row?.name == null) throw notFound('segment', id)
  return { ...row, name: row.name }
}

/** @throws ApiError not_found, also for another list's segment */
export async function segmentOfList(
  db: Kysely<Schema>,
  mailingListId: number,
  id: number
): Promise<StoredSegmentRow> {
  const row = await findSegmentOfList(db, mailingListId, id)
  if (!row) throw notFound('segment', id)
  return row
}

/** Like {@link segmentOfList}, for references in a request. */
export function findSegmentOfList(
  db: Kysely<Schema>,
  mailingListId: number,
  id: number
): Promise<StoredSegmentRow | undefined> {
  return db
    .selectFrom('segments')
    .selectAll()
    .where('id', '=', id)
    .where('mailing_list_id', '=', mailingListId)
    .where('name', 'is not', null)
    .$narrowType<{ name: string }>()
    .executeTakeFirst()
}

export function clauseOf(row: Pick<SegmentRow, 'clause'>): Condition[] {
  return JSON.parse(row.clause) as Condition[]
}

/**
 * Refuses a condition on a deleted list: no subscriber is on it, and "not on it" would match all.
 * @throws ApiError validation_failed naming the list
 */
export async function requireListsOf(
  db: Kysely<Schema>,
  clause: Parameters<typeof listIdsOf>[0]
): Promise<void> {
  const ids = listIdsOf(clause)
  if (ids.length === 0) return
  const deleted = await db
    .selectFrom('mailing_lists')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst()
  if (!deleted) return
  throw validationFailed(refusal('segment_of_deleted_list', { id: deleted.id, name: deleted.name }))
}

export function membersOf(db: Kysely<Schema>, mailingListId: number, clause: readonly SettledCondition[]) {
  return db
    .selectFrom('subscribers')
    .where('subscribers.mailing_list_id', '=', sql.lit(mailingListId))
    .where(meetsAll(db, clause))
}

/** Returns members of a segment by id. May scan the whole list, so only in the segment thread. */
export function segmentMembers(
  db: Kysely<Schema>,
  { mailingListId, clause }: SegmentScope,
  page: SegmentPage
): Promise<SubscriberRow[]> {
  const query = membersOf(db, mailingListId, clause)
    .selectAll('subscribers')
    .orderBy('subscribers.id')
    .limit(page.limit)
  return (
    'afterId' in page ? query.where('subscribers.id', '>', page.afterId) : query.offset(page.position)
  ).execute()
}

/**
 * Counts the members by status among the next `limit` subscribers of the list.
 * @returns the last scanned subscriber; null at the end
 */
export async function countMembers(
  db: Kysely<Schema>,
  { mailingListId, clause }: SegmentScope,
  afterId: number,
  atOnce: number
): Promise<{ counts: SegmentCounts; lastId: number | null }> {
  const looked = db
    .selectFrom('subscribers')
    .select(['id', 'status'])
    .select(sql<SqlBool>`${meetsAll(db, clause)}`.as('is_member'))
    .where('mailing_list_id', '=', mailingListId)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(atOnce)
  const sums = await db
    .selectFrom(looked.as('looked'))
    .select((select) => [
      select.fn.countAll<number>().as('looked_at'),
      select.fn.max<number | null>('id').as('last_id'),
      ...subscriberStatuses.map((status) =>
        sql<number>`total(is_member and status = ${sql.lit(status)})`.as(status)
      )
    ])
    .executeTakeFirstOrThrow()
  const { looked_at: lookedAt, last_id: lastId, ...counts } = sums
  return { counts, lastId: lookedAt < atOnce ? null : lastId }
}

/** Returns a segment's query with its values (docs/api.md, "Segments"), for people to read. */
export function criteriaSql(
  db: Kysely<Schema>,
  mailingListId: number,
  clause: readonly SettledCondition[]
): string {
  const { sql: text, parameters } = membersOf(db, mailingListId, clause).select('subscribers.id').compile()
  const [first = '', ...parts] = text.split('?')
  return parts.reduce((whole, part, index) => whole + literal(parameters[index]) + part, first)
}

function literal(value: unknown): string {
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`
}

/** Returns the names of the records that clauses refer to, including deleted ones. */
export async function namesIn(db: Kysely<Schema>, clauses: readonly Condition[][]): Promise<Names> {
  const leaves = clauses.flatMap(leavesOf)
  const ids = <Type extends Condition['type']>(
    type: Type,
    idsOf: (condition: Extract<Condition, { type: Type }>) => number[]
  ): number[] => [
    ...new Set(
      leaves.flatMap((leaf) => (leaf.type === type ? idsOf(leaf as Extract<Condition, { type: Type }>) : []))
    )
  ]
  const names = async (
    table: 'mailing_lists' | 'custom_fields' | 'custom_field_options' | 'campaigns',
    wanted: number[]
  ): Promise<(id: number) => string> => {
    if (wanted.length === 0) return () => ''
    const rows = await db.selectFrom(table).select(['id', 'name']).where('id', 'in', wanted).execute()
    const found = new Map(rows.map((row) => [row.id, row.name]))
    return (id) => found.get(id) ?? ''
  }
  const imports = await importNames(
    db,
    ids('subscriber_import', (leaf) => [leaf.subscriber_import_id])
  )
  return {
    list: await names(
      'mailing_lists',
      ids('in_mailing_list', (leaf) => [leaf.mailing_list_id])
    ),
    field: await names(
      'custom_fields',
      ids('custom_field', (leaf) => [leaf.custom_field_id])
    ),
    option: await names(
      'custom_field_options',
      ids('custom_field', (leaf) => leaf.option_ids ?? [])
    ),
    campaign: await names(
      'campaigns',
      ids('campaign', (leaf) => [leaf.campaign_id])
    ),
    subscriberImport: (id) => {
      const name = imports.get(id)
      return name ? `import "${name}"` : `import ${id}`
    }
  }
}

/** docs/api.md, "Segments". */
export async function presentSegmentSummaries(
  db: Kysely<Schema>,
  rows: StoredSegmentRow[]
): Promise<SegmentSummary[]> {
  const clauses = rows.map(clauseOf)
  const names = await namesIn(db, clauses)
  return rows.map(({ id, mailing_list_id, name }, index) => ({
    id,
    mailing_list_id,
    name,
    description: describeClause(clauses[index] ?? [], names)
  }))
}

/**
 * Returns a segment as the API answers it (docs/api.md, "Segments").
 * @param shownFor includes its SQL at that moment
 */
export async function presentSegment(
  db: Kysely<Schema>,
  { id, mailing_list_id, name, ...row }: StoredSegmentRow,
  shownFor: Moment | null = null
): Promise<Segment> {
  const clause = clauseOf(row)
  const names = await namesIn(db, [clause])
  return {
    id,
    mailing_list_id,
    name,
    description: describeClause(clause, names),
    clause: clause.map((condition) =>
      condition.type === 'in_mailing_list'
        ? {
            ...condition,
            mailing_list: { id: condition.mailing_list_id, name: names.list(condition.mailing_list_id) }
          }
        : condition
    ),
    ...(shownFor && { criteria_sql: criteriaSql(db, mailing_list_id, resolveConditions(clause, shownFor)) })
  }
}

/** The older form of a segment (docs/api.md, "Segments"). */
export function presentCriteria(db: Kysely<Schema>, row: SegmentRow, moment: Moment): SegmentationCriteria {
  const { timeZone } = moment
  return {
    id: row.id,
    name: row.name,
    mailing_list_id: row.mailing_list_id,
    criteria_sql: criteriaSql(db, row.mailing_list_id, resolveConditions(clauseOf(row), moment)),
    criteria_json: row.clause,
    created_at: formatTime(row.created_at, timeZone),
    updated_at: formatTime(row.updated_at, timeZone)
  }
}
