import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '../../database/schema.ts'
import type { Faults } from '../../base/errors.ts'
import { refusal, refusalAt } from '../../base/refusal.ts'
import { systemOrganizationId } from '../organizations/rules.ts'
import {
  bounceAddress,
  bounceEmailId,
  bounceEmailsOf,
  urlDomainsOf,
  virtualMtasOf
} from '../delivery-settings/queries.ts'
import { databaseConnections } from '../database-connections/queries.ts'
import { systemDefaultRoute } from '../delivery-settings/schema.ts'
import { findSeedLists } from '../seed-lists/queries.ts'
import type { MailingListsTable } from './tables.ts'
import type { MailingList, MailingListChanges, MailingListInput } from './schema.ts'

type MailingListRow = Selectable<MailingListsTable>

// What a list refers to by name in requests and by id in its row: virtual MTA, URL domain, bounce email, seed lists, and
// for Remote Lists the database connection (docs/api.md, "Mailing lists").

export interface References {
  columns: Pick<
    MailingListRow,
    'd_virtual_mta_id' | 'd_url_domain_id' | 'd_bounce_email_id' | 'is_remote_list' | 'database_connection_id'
  >
  /** null = unchanged. */
  seedListIds: number[] | null
}

export const noReferences: References['columns'] = {
  d_virtual_mta_id: null,
  d_url_domain_id: null,
  d_bounce_email_id: null,
  is_remote_list: 0,
  database_connection_id: null
}

/**
 * Resolves the names and ids of a request.
 * @param before the current references; null for a new list
 */
export async function readReferences(
  db: Kysely<Schema>,
  organizationId: number,
  before: References['columns'] | null,
  given: MailingListChanges | MailingListInput,
  faults: Faults
): Promise<References> {
  const kept = before ?? noReferences
  const find = async (
    field: 'd_virtual_mta' | 'd_url_domain' | 'd_bounce_email',
    keptId: number | null,
    all: () => Promise<{ id: number; name: string }[]>
  ): Promise<number | null> => {
    const name = given[field]
    if (name === undefined) return keptId
    if (!name?.trim()) return null
    const key = name.trim().toLowerCase()
    const found = (await all()).find((each) => each.name.toLowerCase() === key)
    if (!found) faults.add(refusal('name_unknown', { field, name }))
    return found?.id || null
  }
  return {
    columns: {
      d_virtual_mta_id: await find('d_virtual_mta', kept.d_virtual_mta_id, () =>
        virtualMtasOf(db, organizationId)
      ),
      d_url_domain_id: await find('d_url_domain', kept.d_url_domain_id, async () =>
        (await urlDomainsOf(db, organizationId)).map(({ id, domain }) => ({ id, name: domain }))
      ),
      d_bounce_email_id: await find('d_bounce_email', kept.d_bounce_email_id, async () =>
        (await bounceEmailsOf(db, organizationId)).map((each) => ({
          id: each.userId,
          name: bounceAddress(each)
        }))
      ),
      ...(await readConnection(db, organizationId, before, given, faults))
    },
    seedListIds: await readSeedLists(db, organizationId, given, faults)
  }
}

/** Remote Lists exist only in the System Organization and need an existing connection. */
async function readConnection(
  db: Kysely<Schema>,
  organizationId: number,
  before: References['columns'] | null,
  given: MailingListChanges | MailingListInput,
  faults: Faults
): Promise<Pick<MailingListRow, 'is_remote_list' | 'database_connection_id'>> {
  const { is_remote_list: asked, database_connection_id: id, database_connection_name: name } = given
  const isRemote = before ? before.is_remote_list === 1 : asked === true
  const unchanged = {
    is_remote_list: Number(isRemote),
    database_connection_id: before?.database_connection_id ?? null
  }
  if (before && asked !== undefined && asked !== isRemote) {
    faults.add(refusal('only_at_creation', { field: 'is_remote_list' }))
  }
  if (!before && isRemote && organizationId !== systemOrganizationId) {
    faults.add(refusal('only_in_system_organization', { field: 'is_remote_list' }))
  }
  const isGiven = [id, name].filter((each) => each !== undefined && each !== null).length
  if (!isRemote) {
    if (isGiven > 0) faults.add(refusal('connection_of_local_list'))
    return unchanged
  }
  if (before && isGiven === 0) return unchanged
  if (isGiven !== 1) {
    faults.add(refusal('remote_list_without_connection'))
    return unchanged
  }
  return { ...unchanged, database_connection_id: await findConnection(db, id, name, faults) }
}

/** Finds a connection by its name, or without one by its id; one that does not exist is a fault. */
async function findConnection(
  db: Kysely<Schema>,
  id: number | null | undefined,
  name: string | null | undefined,
  faults: Faults
): Promise<number | null> {
  const connections = await databaseConnections(db)
  if (typeof name === 'string') {
    const key = name.trim().toLowerCase()
    const found = connections.find((each) => each.name.toLowerCase() === key)
    if (!found) faults.add(refusal('name_unknown', { field: 'database_connection_name', name }))
    return found?.id ?? null
  }
  const found = connections.find((each) => each.id === id)
  if (!found) faults.add(refusal('id_unknown', { field: 'database_connection_id', id: id ?? '' }))
  return found?.id ?? null
}

async function readSeedLists(
  db: Kysely<Schema>,
  organizationId: number,
  given: MailingListChanges,
  faults: Faults
): Promise<number[] | null> {
  const { d_seed_list_ids: ids, d_seed_list_names: names } = given
  if (ids === undefined && names === undefined) return null
  if (ids?.length && names?.length) {
    faults.add(refusal('not_together', { field: 'd_seed_list_ids', other: 'd_seed_list_names' }))
    return null
  }
  return findSeedLists(db, organizationId, { ids: ids ?? [], names: names ?? [] }, (fault, input) =>
    faults.add(refusalAt(`d_seed_list_${input}`, fault))
  )
}

export type PresentedReferences = Pick<
  MailingList,
  | 'd_virtual_mta'
  | 'd_virtual_mta_id'
  | 'd_url_domain'
  | 'd_url_domain_id'
  | 'd_bounce_email'
  | 'd_bounce_email_id'
  | 'd_seed_lists'
  | 'is_remote_list'
  | 'database_connection_id'
  | 'database_connection_name'
>

/**
 * Loads the names of everything that lists can refer to, and returns a function that presents those of one
 * list.
 */
export async function referencePresenter(
  db: Kysely<Schema>,
  organizationId: number
): Promise<(row: MailingListRow) => PresentedReferences> {
  const virtualMtas = new Map((await virtualMtasOf(db, organizationId)).map((each) => [each.id, each]))
  const urlDomains = new Map((await urlDomainsOf(db, organizationId)).map((each) => [each.id, each]))
  const bounceEmails = new Map((await bounceEmailsOf(db, organizationId)).map((each) => [each.userId, each]))
  const connections = new Map((await databaseConnections(db)).map((each) => [each.id, each]))
  const seedLists = await db
    .selectFrom('mailing_list_seed_lists')
    .innerJoin('seed_lists', 'seed_lists.id', 'mailing_list_seed_lists.seed_list_id')
    .select(['mailing_list_id', 'seed_lists.id', 'seed_lists.name'])
    .where('seed_lists.organization_id', '=', organizationId)
    .orderBy('seed_lists.id')
    .execute()
  return (row) => {
    const bounceEmail = bounceEmails.get(row.d_bounce_email_id ?? 0)
    return {
      d_virtual_mta: virtualMtas.get(row.d_virtual_mta_id ?? 0)?.name ?? systemDefaultRoute,
      d_virtual_mta_id: row.d_virtual_mta_id ?? 0,
      d_url_domain: urlDomains.get(row.d_url_domain_id ?? 0)?.domain ?? null,
      d_url_domain_id: row.d_url_domain_id,
      d_bounce_email: bounceEmail ? bounceAddress(bounceEmail) : null,
      d_bounce_email_id: bounceEmail ? bounceEmailId(bounceEmail) : null,
      d_seed_lists: seedLists
        .filter((each) => each.mailing_list_id === row.id)
        .map(({ id, name }) => ({ id, name })),
      is_remote_list: row.is_remote_list === 1,
      database_connection_id: row.database_connection_id,
      database_connection_name: connections.get(row.database_connection_id ?? 0)?.name ?? null
    }
  }
}
