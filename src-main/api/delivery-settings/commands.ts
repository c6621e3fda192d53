import { type Command, type CommandContext, recordOne } from '../../database/command.ts'
import { recordDeletion, recordEdit, type RecordTables } from '../../database/record-rows.ts'
import { notFound, validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { systemOrganizationId } from '../organizations/rules.ts'
import { refuseWhileNeeded } from '../../http/dependencies.ts'
import { isDomain, isEmail } from '../subscribers/rules.ts'
import {
  type BounceEmailRow,
  bounceEmailsOf,
  databaseConnections,
  dependenciesOn,
  type DeliverySetting,
  urlDomainsOf,
  virtualMtasOf
} from './queries.ts'
import type {
  BounceEmailInput,
  DatabaseConnection,
  DatabaseConnectionInput,
  UrlDomain,
  UrlDomainInput,
  VirtualMta,
  VirtualMtaInput
} from './schema.ts'

export const virtualMtaTables: RecordTables = { entity: 'virtual_mta', table: 'virtual_mtas', parts: [] }
export const urlDomainTables: RecordTables = { entity: 'url_domain', table: 'url_domains', parts: [] }
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

/** @throws ApiError validation_failed if it is no domain or exists */
export const createUrlDomain: Command<Create<UrlDomainInput>, UrlDomain> = async (
  context,
  { organizationId, input }
) => {
  const domain = readDomain(input.domain)
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
  recordOne(context, 'url_domain', 'create', { organizationId }, id)
  return { id, domain }
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

/** @throws ApiError validation_failed if the name exists */
export const createDatabaseConnection: Command<DatabaseConnectionInput, DatabaseConnection> = async (
  context,
  input
) => {
  const name = input.name.trim()
  const others = await databaseConnections(context.db)
  refuseTaken(
    'name',
    name,
    others.map((other) => other.name)
  )
  const { id } = await context.db
    .insertInto('database_connections')
    .values({ name, name_key: name.toLowerCase() })
    .returning('id')
    .executeTakeFirstOrThrow()
  recordOne(context, 'database_connection', 'create', { organizationId: systemOrganizationId }, id)
  return { id, name }
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
  const found = (await urlDomainsOf(context.db, organizationId)).find((each) => each.id === id)
  if (!found) throw notFound('URL domain', id)
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

export const deleteDatabaseConnection: Command<{ id: number }, void> = async (context, { id }) => {
  const found = (await databaseConnections(context.db)).find((each) => each.id === id)
  if (!found) throw notFound('database connection', id)
  await refuseInUse(context, 'database_connection', id, found.name)
  await context.db.deleteFrom('database_connections').where('id', '=', id).execute()
  recordOne(context, 'database_connection', 'delete', { organizationId: systemOrganizationId }, id, {
    name: found.name
  })
}

function readDomain(text: string): string {
  const domain = text.trim().toLowerCase()
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
  deleteUrlDomain,
  createBounceEmail,
  updateBounceEmail,
  deleteBounceEmail,
  createDatabaseConnection,
  deleteDatabaseConnection
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    deliverySettings: typeof deliverySettingCommands
  }
}
