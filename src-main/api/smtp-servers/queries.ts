import type { Kysely, Selectable } from 'kysely'
import { notFound } from '../../base/errors.ts'
import { formatTime } from '../../base/times.ts'
import type { Schema } from '../../database/schema.ts'
import { receivesMail } from '../mailboxes/queries.ts'
import { virtualMtasOf } from '../delivery-settings/queries.ts'
import type { VirtualMta } from '../delivery-settings/schema.ts'
import type { DeliveryOptions, DeliveryRoute, SmtpServer } from './schema.ts'
import type { SmtpServersTable } from './tables.ts'

export type SmtpServerRow = Selectable<SmtpServersTable>

/** By id. */
export function smtpServersOf(db: Kysely<Schema>, organizationId: number): Promise<SmtpServerRow[]> {
  return db
    .selectFrom('smtp_servers')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id')
    .execute()
}

/** @throws ApiError not_found */
export async function smtpServerById(
  db: Kysely<Schema>,
  organizationId: number,
  id: number
): Promise<SmtpServerRow> {
  const row = await db
    .selectFrom('smtp_servers')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('SMTP server', id)
  return row
}

export function presentSmtpServer(row: SmtpServerRow, timeZone: string): SmtpServer {
  const { organization_id, name_key, credential_place, created_at, updated_at, ...settings } = row
  return {
    ...settings,
    sender_domains: JSON.parse(row.sender_domains) as string[],
    signs_dkim: row.signs_dkim === 1,
    has_secret: credential_place !== null,
    created_at: formatTime(created_at, timeZone),
    updated_at: formatTime(updated_at, timeZone)
  }
}

/** Returns the servers of a route in their order; none for the outbox. @param virtualMtaId 0 = the system default route */
export function serversOfRoute(
  db: Kysely<Schema>,
  organizationId: number,
  virtualMtaId: number
): Promise<SmtpServerRow[]> {
  return db
    .selectFrom('route_servers')
    .innerJoin('smtp_servers', 'smtp_servers.id', 'route_servers.smtp_server_id')
    .selectAll('smtp_servers')
    .where('route_servers.organization_id', '=', organizationId)
    .where('virtual_mta_id', '=', virtualMtaId)
    .orderBy('position')
    .execute()
}

/** Returns where the messages of each virtual MTA go; the system default route is first. */
export async function deliveryRoutesOf(db: Kysely<Schema>, organizationId: number): Promise<DeliveryRoute[]> {
  const rows = await db
    .selectFrom('route_servers')
    .select(['virtual_mta_id', 'smtp_server_id'])
    .where('organization_id', '=', organizationId)
    .orderBy('position')
    .execute()
  const servers = Map.groupBy(rows, (row) => row.virtual_mta_id)
  const routeOf = ({ id, name }: VirtualMta): DeliveryRoute => {
    const ids = (servers.get(id) ?? []).map((row) => row.smtp_server_id)
    return {
      virtual_mta_id: id,
      virtual_mta_name: name,
      transport: ids.length > 0 ? 'smtp' : 'outbox',
      smtp_server_ids: ids
    }
  }
  return (await virtualMtasOf(db, organizationId)).map(routeOf)
}

/** @throws ApiError not_found */
export async function deliveryRouteById(
  db: Kysely<Schema>,
  organizationId: number,
  virtualMtaId: number
): Promise<DeliveryRoute> {
  const routes = await deliveryRoutesOf(db, organizationId)
  const found = routes.find((route) => route.virtual_mta_id === virtualMtaId)
  if (!found) throw notFound('virtual MTA', virtualMtaId)
  return found
}

/** Returns the virtual MTAs whose messages a server takes, by id; 0 is the system default route. */
export async function routesThrough(
  db: Kysely<Schema>,
  organizationId: number,
  smtpServerId: number
): Promise<DeliveryRoute[]> {
  const routes = await deliveryRoutesOf(db, organizationId)
  return routes.filter(({ smtp_server_ids: ids }) => ids.includes(smtpServerId))
}

export async function deliveryOptionsOf(
  db: Kysely<Schema>,
  organizationId: number
): Promise<DeliveryOptions> {
  const { unsubscribes_elsewhere, winner_counts_machines, ...rules } = await db
    .selectFrom('organizations')
    .select(['unsubscribes_elsewhere', 'soft_bounces', 'soft_bounce_days', 'winner_counts_machines'])
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return {
    unsubscribes_elsewhere: unsubscribes_elsewhere === 1,
    receives_unsubscribes: await receivesMail(db, organizationId),
    ...rules,
    winner_counts_machines: winner_counts_machines === 1
  }
}
