import type { Kysely } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import { parseTimeInput, timeComplaint } from '../../base/dates.ts'
import type { Faults } from '../../base/errors.ts'
import { mergeSettings, type SettingRule } from '../../base/merge-settings.ts'
import { type Complaint, complaint, refusal, refusalAt } from '../../base/refusal.ts'
import {
  bounceAddress,
  bounceEmailId,
  bounceEmailsOf,
  urlDomainsOf,
  virtualMtasOf
} from '../delivery-settings/queries.ts'
import type { MailingListRow } from '../mailing-lists/queries.ts'
import { readPercentage, winnerSettings } from '../mailing-lists/rules.ts'
import { findSeedLists } from '../seed-lists/queries.ts'
import { emailComplaint, isEmail } from '../subscribers/rules.ts'
import type { DispatchRow } from './queries.ts'
import type { DispatchInput } from './schema.ts'

// The delivery settings of a campaign: the request's, else the existing ones, else the defaults of the list.

/** The settings of a dispatch, without its progress. */
export type DispatchSettings = Omit<
  DispatchRow,
  'campaign_id' | 'state' | 'error_message' | 'started_at' | 'finished_at' | 'updated_at'
>

/** The delivery settings of a new campaign of a list (docs/api.md, "Mailing lists"). */
export function dispatchOfList(list: MailingListRow): DispatchSettings {
  return {
    paused: 0,
    virtual_mta_id: list.d_virtual_mta_id,
    bounce_email_id: list.d_bounce_email_id,
    url_domain_id: list.d_url_domain_id,
    speed: list.d_speed,
    track_opens: 1,
    track_links: 1,
    from_name: list.d_from_name,
    from_email: list.d_from_email,
    reply_to: list.d_reply_to,
    sender_email: list.d_sender_email,
    autowinner_enabled: list.d_autowinner_enabled,
    autowinner_percentage: list.d_autowinner_percentage,
    autowinner_delay_amount: list.d_autowinner_delay_amount,
    autowinner_delay_unit: list.d_autowinner_delay_unit,
    autowinner_metric: list.d_autowinner_metric,
    begins_at: null,
    begins_at_once: 0
  }
}

type ReadOnItsOwn =
  | 'virtual_mta_id'
  | 'bounce_email_id'
  | 'url_domain_id'
  | 'autowinner_percentage'
  | 'begins_at'
  | 'begins_at_once'

const settingRules: Record<Exclude<keyof DispatchSettings, ReadOnItsOwn>, SettingRule> = {
  paused: 'flag',
  speed: 'required',
  track_opens: 'flag',
  track_links: 'flag',
  from_name: 'value',
  from_email: 'value',
  reply_to: 'value',
  sender_email: 'value',
  autowinner_enabled: 'flag',
  autowinner_delay_amount: 'value',
  autowinner_delay_unit: 'value',
  autowinner_metric: 'value'
}

/**
 * A begins_at further in the past is refused; a later one means now (docs/api.md, "Limits"). In milliseconds.
 */
export const latestBegin = 2 * 60 * 60 * 1000

interface Scope {
  db: Kysely<Schema>
  organizationId: number
  timeZone: string
  /** UNIX milliseconds. */
  clock: number
}

/** Returns the validated settings after a request; faults use the client's names. */
export async function mergeDispatch(
  { db, organizationId, timeZone, clock }: Scope,
  before: DispatchSettings,
  given: DispatchInput,
  faults: Faults
): Promise<DispatchSettings> {
  const complain = (key: string, what: Complaint): void =>
    faults.add(refusalAt(`dispatch_attributes.${key}`, what))
  const reference = async (
    idKey: 'virtual_mta_id' | 'bounce_email_id' | 'url_domain_id',
    nameKey: 'virtual_mta_name' | 'bounce_email_name' | 'url_domain_name',
    all: () => Promise<{ id: number; shownId: number | string; name: string }[]>
  ): Promise<number | null> => {
    const { [idKey]: id, [nameKey]: name } = given
    if (id === undefined && name === undefined) return before[idKey]
    // 0 is the system default route, and is stored as null.
    if (id === null || id === 0 || id === '') return null
    const key = name?.trim().toLowerCase()
    const found = (await all()).find((each) =>
      id === undefined ? each.name.toLowerCase() === key : each.shownId === id
    )
    if (!found && id === undefined) complain(nameKey, complaint('name_unknown', { name: name ?? '' }))
    else if (!found) complain(idKey, complaint('id_unknown', { id: id ?? '' }))
    return found?.id || null
  }
  const after: DispatchSettings = {
    ...mergeSettings(settingRules, before, given),
    virtual_mta_id: await reference('virtual_mta_id', 'virtual_mta_name', async () =>
      (await virtualMtasOf(db, organizationId)).map(({ id, name }) => ({ id, shownId: id, name }))
    ),
    bounce_email_id: await reference('bounce_email_id', 'bounce_email_name', async () =>
      (await bounceEmailsOf(db, organizationId)).map((each) => ({
        id: each.userId,
        shownId: bounceEmailId(each),
        name: bounceAddress(each)
      }))
    ),
    url_domain_id: await reference('url_domain_id', 'url_domain_name', async () =>
      (await urlDomainsOf(db, organizationId)).map(({ id, domain }) => ({ id, shownId: id, name: domain }))
    ),
    autowinner_percentage: percentage(given.autowinner_percentage, before.autowinner_percentage, complain),
    ...begin(given.begins_at, before, timeZone, clock, complain)
  }
  for (const key of ['from_email', 'reply_to', 'sender_email'] as const) {
    const address = after[key]
    if (address && !isEmail(address)) complain(key, emailComplaint(address))
  }
  if (after.autowinner_enabled === 1) {
    for (const name of winnerSettings) {
      const key = `autowinner_${name}` as const
      // If a value was given, it was invalid and is reported already.
      if (after[key] === null && !given[key])
        complain(key, complaint('blank_when_true', { other: 'autowinner_enabled' }))
    }
  }
  const rule = given.special_sending_rule_id
  if (rule !== undefined && rule !== null)
    complain('special_sending_rule_id', complaint('id_unknown', { id: rule }))
  return after
}

function percentage(
  given: string | number | null | undefined,
  before: string | null,
  complain: (key: string, what: Complaint) => void
): string | null {
  if (given === undefined || given === null) return given === undefined ? before : null
  const text = readPercentage(given)
  if (text !== null) return text
  complain('autowinner_percentage', complaint('percentage'))
  return before
}

type Begin = Pick<DispatchSettings, 'begins_at' | 'begins_at_once'>

function begin(
  given: string | number | null | undefined,
  { begins_at, begins_at_once }: Begin,
  timeZone: string,
  clock: number,
  complain: (key: string, what: Complaint) => void
): Begin {
  const before = { begins_at, begins_at_once }
  if (given === undefined) return before
  if (given === null || given === '') return { begins_at: null, begins_at_once: 0 }
  const time = parseTimeInput(given, timeZone)
  if (time === null) {
    complain('begins_at', timeComplaint(given))
    return before
  }
  if (time < clock - latestBegin) {
    complain('begins_at', complaint('too_far_in_the_past'))
    return before
  }
  return time > clock ? { begins_at: time, begins_at_once: 0 } : { begins_at: clock, begins_at_once: 1 }
}

/**
 * Returns the seed lists of a request (docs/api.md, "Campaigns"); the two deprecated inputs replace the whole
 * set.
 * @returns null = unchanged
 */
export async function readDispatchSeedLists(
  db: Kysely<Schema>,
  organizationId: number,
  input: DispatchInput,
  faults: Faults
): Promise<number[] | null> {
  const inputs = ['seed_list_id', 'seed_list_name', 'seed_list_ids', 'seed_list_names'] as const
  const given = withoutClearing(input)
  const named = inputs.filter((key) => given[key] !== undefined)
  if (named.length === 0) return null
  if (named.length > 1) {
    faults.add(refusal('only_one_seed_list_input', { field: 'dispatch_attributes', inputs }))
    return null
  }
  const ids = given.seed_list_ids ?? (given.seed_list_id ? [given.seed_list_id] : [])
  const names = given.seed_list_names ?? (given.seed_list_name ? [given.seed_list_name] : [])
  return findSeedLists(db, organizationId, { ids, names }, (fault) =>
    faults.add(refusalAt(`dispatch_attributes.${named[0]}`, fault))
  )
}

/**
 * A null seed_list_id clears the set, but counts as omitted beside another input
 * (docs/api.md, "Requests and answers").
 */
function withoutClearing(input: DispatchInput): DispatchInput {
  const others = [input.seed_list_name, input.seed_list_ids, input.seed_list_names]
  if (input.seed_list_id !== null || others.every((each) => each === undefined)) return input
  const { seed_list_id: _, ...rest } = input
  return rest
}
