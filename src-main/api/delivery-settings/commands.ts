import { type Command, type CommandContext, recordOne } from '../../database/command.ts'
import { recordDeletion, recordEdit, type RecordTables } from '../../database/record-rows.ts'
import { notFound, validationFailed } from '../../base/errors.ts'
import type { CredentialPlace } from '../../base/credential-places.ts'
import { secretColumn } from '../../base/credentials.ts'
import { refusal } from '../../base/refusal.ts'
import { serverAddress } from '../../http/server-address.ts'
import { refuseWhileNeeded } from '../../http/dependencies.ts'
import { endWaiting } from '../smtp-servers/commands.ts'
import { isDomain, isEmail } from '../subscribers/rules.ts'
import {
  type BounceEmailRow,
  bounceEmailsOf,
  dependenciesOn,
  type DeliverySetting,
  urlDomainById,
  type UrlDomainRow,
  urlDomainsOf,
  virtualMtasOf
} from './queries.ts'
import type { BounceEmailInput, UrlDomainInput, VirtualMta, VirtualMtaInput } from './schema.ts'

export const virtualMtaTables: RecordTables = { entity: 'virtual_mta', table: 'virtual_mtas', parts: [] }
export const urlDomainTables: RecordTables = {
  entity: 'url_domain',
  table: 'url_domains',
  parts: [{ table: 'gates', where: 'url_domain_id = :id' }]
}
export const bounceEmailTables: RecordTables = { entity: 'bounce_email', table: 'bounce_emails', parts: [] }

interface Create<Input> {
  organizationId: number
  input: Input
}

/** @throws ApiError validation_failed if the name exists, ignoring case */
export const createVirtualMta: Command<Create<VirtualMtaInput>, VirtualMta> = async (
  context,
  { organizationId, input }
) => {
  const name = input.name.trim()
  const others = await virtualMtasOf(context.db, organizationId)
  refuseTaken(
    'name',
    name,
    others.map((other) => other.name)
  )
  const { id } = await context.db
    .insertInto('virtual_mtas')
    .values({ organization_id: organizationId, name, name_key: name.toLowerCase() })
    .returning('id')
    .executeTakeFirstOrThrow()
  recordOne(context, 'virtual_mta', 'create', { organizationId }, id)
  return { id, type: 'virtualmta', name }
}

/** A URL domain as it is stored; a gate has an address. */
export type UrlDomainSettings = Pick<UrlDomainInput, 'domain' | 'kind' | 'address'>

/** @throws ApiError validation_failed if it is no domain, no address of a gate, or exists */
export const createUrlDomain: Command<Create<UrlDomainSettings>, UrlDomainRow> = async (
  context,
  { organizationId, input }
) => {
  const address = input.kind === 'gate' ? readAddress(input.address) : null
  const domain = address === null ? readDomain(input.domain) : new URL(address).host
  const others = await urlDomainsOf(context.db, organizationId)
  refuseTaken(
    'domain',
    domain,
    others.map((other) => other.domain)
  )
  const { id } = await context.db
    .insertInto('url_domains')
    .values({ organization_id: organizationId, domain })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (address !== null) {
    await context.db
      .insertInto('gates')
      .values({ url_domain_id: id, address, updated_at: context.now })
      .execute()
  }
  recordOne(context, 'url_domain', 'create', { organizationId }, id)
  return urlDomainById(context.db, organizationId, id)
}

interface UpdateGate {
  organizationId: number
  id: number
  address?: string
  /** Where its new key is stored; left out, the key stays the same. */
  credentialPlace?: CredentialPlace
}

/**
 * Changes a gate. A key goes only to the server that it was entered for, and another server has none of what was handed over.
 * @throws ApiError validation_failed for a URL domain that is no gate, or an address that cannot be one
 */
export const updateGate: Command<UpdateGate, UrlDomainRow> = async (
  context,
  { organizationId, id, address: given, credentialPlace }
) => {
  const before = await urlDomainById(context.db, organizationId, id)
  if (before.address === null) throw validationFailed(refusal('no_gate', { name: before.domain }))
  const address = given === undefined ? before.address : readAddress(given)
  const isOther = address !== before.address
  const domain = new URL(address).host
  const others = (await urlDomainsOf(context.db, organizationId)).filter((other) => other.id !== id)
  refuseTaken(
    'address',
    domain,
    others.map((other) => other.domain)
  )
  await recordEdit(context, urlDomainTables, { organizationId }, id, async () => {
    await context.db.updateTable('url_domains').set({ domain }).where('id', '=', id).execute()
    return context.db
      .updateTable('gates')
      .set({
        address,
        ...(isOther && { state: null, fetched_at: null }),
        ...secretColumn(isOther, credentialPlace),
        next_at: 0,
        fault: null,
        updated_at: context.now
      })
      .where('url_domain_id', '=', id)
      .returning('url_domain_id as id')
      .executeTakeFirstOrThrow()
  })
  if (isOther) {
    await context.db
      .updateTable('gate_contents')
      .set({ is_handed_over: 0 })
      .where('url_domain_id', '=', id)
      .execute()
  }
  await endWaiting(context)
  return urlDomainById(context.db, organizationId, id)
}

/** @throws ApiError validation_failed if it is no address or exists */
export const createBounceEmail: Command<Create<BounceEmailInput>, BounceEmailRow> = async (
  context,
  { organizationId, input }
) => {
  const domain = readDomain(input.domain)
  const username = input.username.trim().toLowerCase()
  if (!isEmail(`${username}@${domain}`)) {
    throw validationFailed(refusal('local_part', { field: 'username', username }))
  }
  const others = await bounceEmailsOf(context.db, organizationId)
  refuseTaken(
    'email',
    `${username}@${domain}`,
    others.map((other) => `${other.username}@${other.domain}`)
  )
  const { id: domainId } = await context.db
    .insertInto('bounce_domains')
    .values({ organization_id: organizationId, domain })
    .onConflict((conflict) => conflict.columns(['organization_id', 'domain']).doUpdateSet({ domain }))
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id: userId } = await context.db
    .insertInto('bounce_emails')
    .values({ bounce_domain_id: domainId, username, plus_addressing: Number(input.plus_addressing) })
    .returning('id')
    .executeTakeFirstOrThrow()
  recordOne(context, 'bounce_email', 'create', { organizationId }, userId)
  return { userId, domainId, username, domain, plusAddressing: Number(input.plus_addressing) }
}

interface BounceEmailKey extends Delete {
  domainId: number
}

/** `id` is that of the user. */
export const updateBounceEmail: Command<
  BounceEmailKey & { plusAddressing: boolean },
  BounceEmailRow
> = async (context, { organizationId, id, domainId, plusAddressing }) => {
  const found = await bounceEmailBy(context, { organizationId, id, domainId })
  await recordEdit(context, bounceEmailTables, { organizationId }, id, () =>
    context.db
      .updateTable('bounce_emails')
      .set({ plus_addressing: Number(plusAddressing) })
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirstOrThrow()
  )
  return { ...found, plusAddressing: Number(plusAddressing) }
}

interface Delete {
  organizationId: number
  id: number
}

export const deleteVirtualMta: Command<Delete, void> = async (context, { organizationId, id }) => {
  const found = (await virtualMtasOf(context.db, organizationId)).find((each) => each.id === id && id !== 0)
  if (!found) throw notFound('virtual MTA', id)
  await refuseInUse(context, 'virtual_mta', id, found.name)
  await recordDeletion(context, virtualMtaTables, { organizationId }, found, () =>
    context.db.deleteFrom('virtual_mtas').where('id', '=', id).execute()
  )
}

export const deleteUrlDomain: Command<Delete, void> = async (context, { organizationId, id }) => {
  const found = await urlDomainById(context.db, organizationId, id)
  await refuseInUse(context, 'url_domain', id, found.domain)
  await recordDeletion(context, urlDomainTables, { organizationId }, { id, name: found.domain }, () =>
    context.db.deleteFrom('url_domains').where('id', '=', id).execute()
  )
}

/** @throws ApiError not_found */
async function bounceEmailBy(
  context: CommandContext,
  { organizationId, id, domainId }: BounceEmailKey
): Promise<BounceEmailRow> {
  const found = (await bounceEmailsOf(context.db, organizationId)).find(
    (each) => each.userId === id && each.domainId === domainId
  )
  if (!found) throw notFound('bounce email', `${id}@${domainId}`)
  return found
}

/** `id` is that of the user. */
export const deleteBounceEmail: Command<BounceEmailKey, void> = async (
  context,
  { organizationId, id, domainId }
) => {
  const found = await bounceEmailBy(context, { organizationId, id, domainId })
  const name = `${found.username}@${found.domain}`
  await refuseInUse(context, 'bounce_email', id, name)
  await recordDeletion(context, bounceEmailTables, { organizationId }, { id, name }, () =>
    context.db.deleteFrom('bounce_emails').where('id', '=', id).execute()
  )
}

/** @throws ApiError validation_failed */
function readAddress(text = ''): string {
  if (text.trim() === '') throw validationFailed(refusal('blank', { field: 'address' }))
  return serverAddress(text, 'address')
}

/** @throws ApiError validation_failed */
function readDomain(text = ''): string {
  const domain = text.trim().toLowerCase()
  if (domain === '') throw validationFailed(refusal('blank', { field: 'domain' }))
  if (!isDomain(domain)) {
    throw validationFailed(refusal('domain', { field: 'domain', domain }))
  }
  return domain
}

function refuseTaken(field: string, value: string, others: string[]): void {
  const key = value.toLowerCase()
  if (others.some((other) => other.toLowerCase() === key)) {
    throw validationFailed(refusal('there_already', { field, value }))
  }
}

async function refuseInUse(
  context: CommandContext,
  kind: DeliverySetting,
  id: number,
  name: string
): Promise<void> {
  refuseWhileNeeded('used_by', name, await dependenciesOn(context.db, kind, id))
}

export const deliverySettingCommands = {
  createVirtualMta,
  deleteVirtualMta,
  createUrlDomain,
  updateGate,
  deleteUrlDomain,
  createBounceEmail,
  updateBounceEmail,
  deleteBounceEmail
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    deliverySettings: typeof deliverySettingCommands
  }
}
