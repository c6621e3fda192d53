import { type Expression, expressionBuilder, type Kysely, type RawBuilder, sql, type SqlBool } from 'kysely'
import type { StatEventType } from '../statistics/tables.ts'
import type { Schema } from '../../database/schema.ts'
import { foldText } from '../../base/fold.ts'
import { journalStates, type JournalStateName } from '../journal/schema.ts'
import { concernsList } from '../suppression-lists/queries.ts'
import { domainKey, emailKey } from '../subscribers/rules.ts'
import type {
  CampaignCondition,
  DomainCondition,
  EmailCondition,
  ImportCondition,
  SuppressedCondition,
  TextOperator
} from './conditions.ts'
import type { SegmentCondition } from './schema.ts'
import type { ReactionSince, SettledCondition, SettledField, TimeRange } from './settled.ts'

// Conditions as SQL over a row of `subscribers`. Whatever a person wrote is bound, never part of the SQL; numbers that are
// ids or bounds stand in it, so that a segment's query can be shown.

/** True if a row of `subscribers` meets all conditions. */
export function meetsAll(db: Kysely<Schema>, clause: readonly SettledCondition[]): Expression<SqlBool> {
  return expressionBuilder<Schema, 'subscribers'>().and(clause.map((condition) => meets(db, condition)))
}

function meets(db: Kysely<Schema>, condition: SettledCondition): Expression<SqlBool> {
  switch (condition.type) {
    case 'in_mailing_list':
      return isOnList(db, condition)
    case 'group': {
      const each = condition.conditions.map((inner) => meets(db, inner))
      const together = expressionBuilder<Schema, 'subscribers'>()
      if (condition.match === 'all') return together.and(each)
      const isAny = together.or(each)
      return condition.match === 'any' ? isAny : together.not(isAny)
    }
    case 'status': {
      const statuses = sql.join(condition.statuses.map((status) => sql.lit(status)))
      const isOne = sql<SqlBool>`subscribers.status in (${statuses})`
      return condition.operator === 'is one of' ? isOne : sql<SqlBool>`not ${isOne}`
    }
    case 'email':
      return matchesText(sql`subscribers.email_key`, condition.operator, emailPart(condition))
    case 'domain':
      return isOfDomain(condition)
    case 'custom_field':
      return matchesField(condition)
    case 'time_range':
      return isInRange(condition)
    case 'confirmed': {
      const confirmed = sql<SqlBool>`subscribers.confirmed is 1`
      return condition.operator === 'is true' ? confirmed : sql<SqlBool>`not ${confirmed}`
    }
    case 'suppressed':
      return isSuppressed(condition)
    case 'campaign':
      return reacted(condition)
    case 'subscriber_import':
      return wasAddedBy(condition)
    case 'reaction_since':
      return reactedSince(condition)
  }
}

/** Normalizes a part of an email for comparison; only a whole email can be brought to its unique form. */
function emailPart({ operator, value }: EmailCondition): string {
  return operator === 'is' || operator === 'is not' ? emailKey(value) : partKey(value)
}

function partKey(text: string): string {
  return text.trim().toLowerCase().normalize('NFC')
}

/** True if the lower-case email is (or is not) on the other list. */
function isOnList(db: Kysely<Schema>, { operator, mailing_list_id }: SegmentCondition): Expression<SqlBool> {
  const others = (alternateKey: 'is' | 'is not') =>
    db
      .selectFrom('subscribers as other')
      .select(sql.lit(1).as('found'))
      .where('other.mailing_list_id', '=', sql.lit(mailing_list_id))
      .where('other.email_key', '=', sql.ref<string>('subscribers.email_key'))
      // Two partial indexes on the email exist: one for lists with an alternate primary key, one for those
      // without.
      .where('other.alternate_key', alternateKey, sql.lit(null))
      .$if(operator === 'is active in', (query) => query.where('other.status', '=', sql.lit('active')))
  const list = db
    .selectFrom('mailing_lists')
    .select(sql.lit(1).as('found'))
    .where('id', '=', sql.lit(mailing_list_id))
    .where('deleted_at', 'is', sql.lit(null))
  const isThere = sql<SqlBool>`(exists ${others('is')} or exists ${others('is not')})`
  // The list was deleted, so its subscribers are unknown: the condition is false for everyone.
  return sql<SqlBool>`(exists ${list} and ${operator === 'is not in' ? sql`not ${isThere}` : isThere})`
}

/**
 * @param text never null
 * @param value in lower case, or folded
 */
function matchesText(text: RawBuilder<unknown>, operator: TextOperator, value: string): Expression<SqlBool> {
  switch (operator) {
    case 'contains':
      return sql<SqlBool>`instr(${text}, ${value}) > 0`
    case 'does not contain':
      return sql<SqlBool>`instr(${text}, ${value}) = 0`
    case 'begins with':
      return sql<SqlBool>`substr(${text}, 1, length(${value})) = ${value}`
    case 'ends with':
      return endsWith(text, value)
    case 'is':
      return sql<SqlBool>`${text} = ${value}`
    case 'is not':
      return sql<SqlBool>`${text} <> ${value}`
  }
}

/**
 * Returns the end of a text, or all of a shorter one. A blank value, of which substr would return everything,
 * does not occur.
 */
function endsWith(text: RawBuilder<unknown>, value: string): Expression<SqlBool> {
  return sql<SqlBool>`substr(${text}, -length(${value})) = ${value}`
}

const emailKeyColumn = sql.ref('subscribers.email_key')

/** The domain of a subscriber's email, in lower case. */
export const domainOfEmail = sql<string>`substr(${emailKeyColumn}, length(rtrim(${emailKeyColumn}, replace(${emailKeyColumn}, '@', ''))) + 1)`

function isOfDomain({ operator, value }: DomainCondition): Expression<SqlBool> {
  const domain = domainKey(value)
  // A domain holds no @. A suffix without @ can therefore be looked up in the domain alone.
  if (operator === 'ends with') return endsWith(sql`subscribers.email_key`, domain)
  const isIt = endsWith(sql`subscribers.email_key`, `@${domain}`)
  return operator === 'is' ? isIt : sql<SqlBool>`not ${isIt}`
}

/** The stored value of a custom field: a text or a number, null where it is blank. */
export function fieldValue(fieldId: number): RawBuilder<unknown> {
  return sql`(subscribers.custom_fields ->> ${sql.lit(`$."${fieldId}"`)})`
}

/**
 * Folds a text like {@link foldText}; the JavaScript function is called only for non-ASCII texts. The inner query takes the text out of its JSON
 * once instead of three times, which saves a quarter of the time of a text filter.
 */
export function folded(text: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`(select case when octet_length(value) <> length(value) then fold(value) else lower(value) end from (select ${text} as value))`
}

function matchesField(condition: SettledField): Expression<SqlBool> {
  const value = fieldValue(condition.custom_field_id)
  switch (condition.operator) {
    case 'is blank':
      return sql<SqlBool>`${value} is null`
    case 'is not blank':
      return sql<SqlBool>`${value} is not null`
    case 'is true':
      return sql<SqlBool>`${value} is 1`
    case 'is false':
      return sql<SqlBool>`${value} is 0`
    case 'is between':
      return isBetween(value, condition)
    case 'is one of':
    case 'is none of':
    case 'is all of':
      return hasOptions(value, condition)
    case 'is on':
      return sql<SqlBool>`${value} is ${condition.value}`
    case 'is before':
      return compared(value, sql`value < ${condition.value}`, condition.kind)
    case 'is after':
      return compared(value, sql`value > ${condition.value}`, condition.kind)
    case 'is at least':
      return compared(value, sql`value >= ${condition.value}`, condition.kind)
    case 'is at most':
      return compared(value, sql`value <= ${condition.value}`, condition.kind)
    case 'is':
    case 'is not':
      if (condition.kind === 'number') {
        const isIt = sql<SqlBool>`${value} is ${condition.value}`
        return condition.operator === 'is' ? isIt : sql<SqlBool>`not (${isIt})`
      }
  }
  const wanted = foldText(String(condition.value))
  const matches = matchesText(sql`ifnull(${folded(value)}, '')`, condition.operator, wanted)
  const isNegative = condition.operator === 'is not' || condition.operator === 'does not contain'
  return isNegative || wanted === '' ? matches : sql<SqlBool>`(${mayBeInFields(wanted)} and ${matches})`
}

/**
 * Compares `value`, the value of a field.
 *
 * A blank value compares as false, where SQL returns null; so does one of another type, whose field changed
 * since the condition was stored.
 */
function compared(
  value: RawBuilder<unknown>,
  comparison: RawBuilder<unknown>,
  kind: SettledField['kind']
): Expression<SqlBool> {
  const type = kind === 'number' ? sql`'integer'` : sql`'text'`
  // The inner query takes the value out of its JSON once.
  return sql<SqlBool>`(select typeof(value) = ${type} and ${comparison} from (select ${value} as value))`
}

function isBetween(value: RawBuilder<unknown>, { kind, from, to }: SettledField): Expression<SqlBool> {
  // The range includes the turn of the year.
  const turns = kind === 'day_of_year' && String(from) > String(to)
  const comparison = turns ? sql`(value >= ${from} or value <= ${to})` : sql`value between ${from} and ${to}`
  return compared(value, comparison, kind)
}

function hasOptions(
  value: RawBuilder<unknown>,
  { kind, operator, option_ids: ids = [] }: SettledField
): Expression<SqlBool> {
  const options = sql.join(ids.map((id) => sql.lit(id)))
  if (kind === 'option') {
    const isOne = sql<SqlBool>`(${value} is not null and ${value} in (${options}))`
    return operator === 'is one of' ? isOne : sql<SqlBool>`not ${isOne}`
  }
  const found = sql<number>`(select count(*) from json_each(case when json_valid(${value}) and json_type(${value}) = 'array' then ${value} else '[]' end) as chosen where chosen.value in (${options}))`
  if (operator === 'is all of') return sql<SqlBool>`${found} = ${sql.lit(ids.length)}`
  return operator === 'is one of' ? sql<SqlBool>`${found} > 0` : sql<SqlBool>`${found} = 0`
}

function isInRange({ attribute, from, before }: TimeRange): Expression<SqlBool> {
  const column = sql.ref(`subscribers.${attribute}`)
  return expressionBuilder<Schema, 'subscribers'>().and([
    ...(from === null ? [] : [sql<SqlBool>`${column} >= ${sql.lit(from)}`]),
    ...(before === null ? [] : [sql<SqlBool>`${column} < ${sql.lit(before)}`])
  ])
}

/**
 * CROSS JOIN makes SQLite start with the few suppression lists and look up each key, instead of reading every
 * address per subscriber.
 */
function isSuppressed({ operator }: SuppressedCondition): Expression<SqlBool> {
  const key = sql.ref('subscribers.email_key')
  // The text after the last @, since a quoted local part may contain one.
  const domain = sql`'@' || ${domainOfEmail}`
  const concerns = concernsList(
    sql`subscribers.mailing_list_id`,
    sql`(select organization_id from mailing_lists where mailing_lists.id = subscribers.mailing_list_id)`
  )
  const isIt = sql<SqlBool>`exists (
    select 1 from suppression_lists cross join suppressed_addresses
    where suppression_list_id = suppression_lists.id and ${concerns}
    and key in (${key}, ${domain}, email_md5(subscribers.email))
  )`
  return operator === 'is true' ? isIt : sql<SqlBool>`not ${isIt}`
}

const wasSent = sql`stat_recipients where subscriber_id = subscribers.id`

function hasEvent(type: StatEventType): RawBuilder<unknown> {
  return sql`stat_events where type = ${sql.lit(type)} and subscriber_id = subscribers.id`
}

function isJournaledAs(...states: JournalStateName[]): RawBuilder<unknown> {
  const numbers = sql.join(states.map((state) => sql.lit(journalStates[state])))
  return sql`message_journal where state in (${numbers}) and subscriber_id = subscribers.id`
}

/** Where it is stored what an operator requires. */
const storedFor: Record<CampaignCondition['operator'], RawBuilder<unknown>> = {
  'was sent': wasSent,
  'was not sent': wasSent,
  opened: hasEvent('open'),
  'did not open': hasEvent('open'),
  clicked: hasEvent('click'),
  'did not click': hasEvent('click'),
  'bounced from': hasEvent('bounce'),
  'unsubscribed from': hasEvent('unsub'),
  'complained about': hasEvent('scomp'),
  'was accepted': isJournaledAs('accepted'),
  waits: isJournaledAs('waiting', 'in_flight', 'retry'),
  failed: isJournaledAs('failed'),
  'is uncertain': isJournaledAs('uncertain'),
  'was withdrawn': isJournaledAs('withdrawn')
}

function isNegative(operator: CampaignCondition['operator']): boolean {
  return operator.startsWith('did not') || operator === 'was not sent'
}

function reacted({ operator, campaign_id }: CampaignCondition): Expression<SqlBool> {
  const did = sql<SqlBool>`exists (
    select 1 from ${storedFor[operator]} and stat_slice_id in (
      select stat_slices.id from stat_slices join stats on stats.id = stat_id
      where stats.campaign_id = ${sql.lit(campaign_id)}
    )
  )`
  const campaign = sql<SqlBool>`exists (select 1 from campaigns where id = ${sql.lit(campaign_id)} and deleted_at is null)`
  // The campaign was deleted, so what its recipients did is unknown: the condition is false for everyone.
  return sql<SqlBool>`(${campaign} and ${isNegative(operator) ? sql`not ${did}` : did})`
}

/** The last range of an import that begins at or before an id is the only one that can contain it. */
function wasAddedBy({ operator, subscriber_import_id: id }: ImportCondition): Expression<SqlBool> {
  const wasAdded = sql<SqlBool>`ifnull((
    select last_id from import_additions
    where subscriber_import_id = ${sql.lit(id)} and first_id <= subscribers.id
    order by first_id desc limit 1
  ) >= subscribers.id, false)`
  return operator === 'was added by' ? wasAdded : sql<SqlBool>`not ${wasAdded}`
}

function reactedSince({ since, isMet }: ReactionSince): Expression<SqlBool> {
  const did = sql<SqlBool>`exists (
    select 1 from stat_events where subscriber_id = subscribers.id and occurred_at >= ${sql.lit(since)}
    and type in ('open', 'click')
  )`
  return isMet ? did : sql<SqlBool>`not ${did}`
}

/** True if the folded search text occurs in the email or a text field. */
export function isFound(text: string, textFieldIds: readonly number[]): Expression<SqlBool> {
  const either = expressionBuilder<Schema, 'subscribers'>()
  const wanted = foldText(text)
  const isInEmail = sql<SqlBool>`instr(subscribers.email_key, ${partKey(text)}) > 0`
  // A text of accents alone folds to an empty text, which would match everything.
  if (wanted === '' || textFieldIds.length === 0) return isInEmail
  const isInField = either.or(
    textFieldIds.map((id) => sql<SqlBool>`ifnull(instr(${folded(fieldValue(id))}, ${wanted}), 0) > 0`)
  )
  return either.or([isInEmail, either.and([mayBeInFields(wanted), isInField])])
}

/**
 * Searches all values at once, which excludes most rows cheaply. JSON escapes quotes, backslashes and
 * similar.
 */
function mayBeInFields(wanted: string): Expression<SqlBool> {
  const values = sql.ref('subscribers.custom_fields')
  if (/["\\\p{Cc}]/u.test(wanted)) return sql<SqlBool>`true`
  // LIKE ignores the case of ASCII letters, in half the time; but % and _ mean something to it.
  const isThere = /[%_]/.test(wanted)
    ? sql`instr(lower(${values}), ${wanted}) > 0`
    : sql`${values} like ${`%${wanted}%`}`
  return sql<SqlBool>`(${isThere} or octet_length(${values}) <> length(${values}))`
}
