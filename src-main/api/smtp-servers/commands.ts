import type { CredentialPlace } from '../../base/credential-places.ts'
import { secretColumn } from '../../base/credentials.ts'
import { Faults, validationFailed } from '../../base/errors.ts'
import { refusal } from '../../base/refusal.ts'
import { type Command, type CommandContext, recordOne, recordRow } from '../../database/command.ts'
import { recordDeletion, recordEdit, type RecordTables } from '../../database/record-rows.ts'
import { namesOf, requireFreeName } from '../../http/names.ts'
import { organizationTables } from '../organizations/commands.ts'
import {
  deliveryRouteById,
  routesThrough,
  smtpServerById,
  type SmtpServerRow,
  smtpServersOf
} from './queries.ts'
import { checkedSettings, type SmtpSettings } from './rules.ts'
import type { DeliveryOptionChanges } from './schema.ts'

const smtpServerTables: RecordTables = { entity: 'smtp_server', table: 'smtp_servers', parts: [] }

interface Create {
  organizationId: number
  settings: SmtpSettings
}

/** @throws ApiError validation_failed naming each field that cannot work */
const createSmtpServer: Command<Create, SmtpServerRow> = async (context, { organizationId, settings }) => {
  requireFreeName(await smtpServersOf(context.db, organizationId), settings.name, null, 'SMTP server')
  const row = await context.db
    .insertInto('smtp_servers')
    .values({
      organization_id: organizationId,
      ...columnsOf(settings),
      created_at: context.now,
      updated_at: context.now
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordRow(context, 'smtp_server', 'create', row)
  return row
}

interface Named {
  organizationId: number
  id: number
}

interface Update extends Named {
  changes: Partial<SmtpSettings>
  /** Where its new secret is stored; left out, the secret stays the same. */
  credentialPlace?: CredentialPlace | undefined
}

/** Changes a server; campaigns that wait for it go on at once. @throws ApiError as {@link createSmtpServer} */
const updateSmtpServer: Command<Update, SmtpServerRow> = async (
  context,
  { organizationId, id, changes, credentialPlace }
) => {
  const before = await smtpServerById(context.db, organizationId, id)
  const settings = { ...settingsOf(before), ...changes }
  requireFreeName(await smtpServersOf(context.db, organizationId), settings.name, id, 'SMTP server')
  const columns = columnsOf(settings)
  const row = await recordEdit(context, smtpServerTables, { organizationId }, id, () =>
    context.db
      .updateTable('smtp_servers')
      .set({
        ...columns,
        ...secretColumn(columns.host !== before.host, credentialPlace),
        updated_at: context.now
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
  )
  await endWaiting(context)
  return row
}

/** @throws ApiError validation_failed while a route leads to it */
const deleteSmtpServer: Command<Named, void> = async (context, { organizationId, id }) => {
  const row = await smtpServerById(context.db, organizationId, id)
  const routes = await routesThrough(context.db, organizationId, id)
  if (routes.length > 0) {
    const names = routes.map(({ virtual_mta_name }) => virtual_mta_name)
    throw validationFailed(refusal('route_leads_to_server', { name: row.name, routes: names }))
  }
  await recordDeletion(context, smtpServerTables, { organizationId }, row, async () => {
    // Those of deleted virtual MTAs, which could be restored.
    await context.db.deleteFrom('route_servers').where('smtp_server_id', '=', id).execute()
    await context.db.deleteFrom('smtp_servers').where('id', '=', id).execute()
  })
}

interface Route {
  organizationId: number
  /** 0 = the system default route. */
  virtualMtaId: number
  smtpServerIds: number[]
}

/** @throws ApiError not_found; validation_failed for a server that the organization does not have */
const changeRoute: Command<Route, void> = async (
  context,
  { organizationId, virtualMtaId, smtpServerIds }
) => {
  const { virtual_mta_name: name } = await deliveryRouteById(context.db, organizationId, virtualMtaId)
  const servers = await smtpServersOf(context.db, organizationId)
  const faults = new Faults()
  for (const [index, id] of smtpServerIds.entries()) {
    const isKnown = servers.some((server) => server.id === id)
    if (!isKnown) faults.add(refusal('id_unknown', { field: `smtp_server_ids.${index}`, id }))
  }
  faults.throwIfAny()
  await context.db
    .deleteFrom('route_servers')
    .where('organization_id', '=', organizationId)
    .where('virtual_mta_id', '=', virtualMtaId)
    .execute()
  const ids = [...new Set(smtpServerIds)]
  if (ids.length > 0) {
    await context.db
      .insertInto('route_servers')
      .values(
        ids.map((smtp_server_id, position) => ({
          organization_id: organizationId,
          virtual_mta_id: virtualMtaId,
          smtp_server_id,
          position
        }))
      )
      .execute()
  }
  recordOne(context, 'delivery_route', 'update', { organizationId }, virtualMtaId, { name })
  await endWaiting(context)
}

const changeOptions: Command<{ organizationId: number; options: DeliveryOptionChanges }, void> = async (
  context,
  {
    organizationId,
    options: { unsubscribes_elsewhere: elsewhere, winner_counts_machines: machines, ...rules }
  }
) => {
  await recordEdit(context, organizationTables, { organizationId }, organizationId, () =>
    context.db
      .updateTable('organizations')
      .set({
        ...rules,
        ...(elsewhere !== undefined && { unsubscribes_elsewhere: Number(elsewhere) }),
        ...(machines !== undefined && { winner_counts_machines: Number(machines) }),
        updated_at: context.now
      })
      .where('id', '=', organizationId)
      .returning('id')
      .executeTakeFirstOrThrow()
  )
}

/** Has campaigns and automatic messages try again that wait for a server, its limits, or a gate. */
export async function endWaiting({ db }: CommandContext): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ waits_until: null, waits_for: null })
    .where('waits_for', 'in', ['server', 'quota', 'gate'])
    .execute()
  await db.updateTable('autoresponder_deliveries').set({ waits_until: null }).execute()
  await db.updateTable('confirmation_deliveries').set({ waits_until: null }).execute()
}

function columnsOf({ name, sender_domains, ...settings }: SmtpSettings) {
  const faults = new Faults()
  const checked = checkedSettings({ name, sender_domains, ...settings }, faults)
  faults.throwIfAny()
  return {
    ...checked,
    ...namesOf(checked.name),
    sender_domains: JSON.stringify(checked.sender_domains),
    signs_dkim: Number(checked.signs_dkim)
  }
}

function settingsOf(row: SmtpServerRow): SmtpSettings {
  const { id, organization_id, name_key, credential_place, created_at, updated_at, ...settings } = row
  return {
    ...settings,
    sender_domains: JSON.parse(row.sender_domains) as string[],
    signs_dkim: row.signs_dkim === 1
  }
}

export const smtpServerCommands = {
  create: createSmtpServer,
  update: updateSmtpServer,
  delete: deleteSmtpServer,
  changeRoute,
  changeOptions
}

declare module '../../database/command.ts' {
  interface CommandRegistry {
    smtpServers: typeof smtpServerCommands
  }
}
