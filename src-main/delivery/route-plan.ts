import type { Kysely } from 'kysely'
import {
  deliveryOptionsOf,
  deliveryRouteById,
  serversOfRoute,
  type SmtpServerRow
} from '../api/smtp-servers/queries.ts'
import { isForSender } from '../api/smtp-servers/sender-domains.ts'
import type { Schema } from '../database/schema.ts'
import type { RouteServer, SmtpRoute } from './plan.ts'
import { campaignsThrough } from './queries.ts'

interface RouteRequest {
  organizationId: number
  /** null = the system default route. */
  virtualMtaId: number | null
  /** The address of the sender, which not every server may be used for. */
  sender: string
  /** How often in a row no server could be used. */
  failures: number
  /** UNIX milliseconds. */
  now: number
}

/** Returns the way of messages by SMTP, with those of its servers that may be used for the sender. */
export async function smtpRouteOf(
  db: Kysely<Schema>,
  { organizationId, virtualMtaId, sender, failures, now }: RouteRequest
): Promise<SmtpRoute> {
  const rows = await serversOfRoute(db, organizationId, virtualMtaId ?? 0)
  const { virtual_mta_name: name } = await deliveryRouteById(db, organizationId, virtualMtaId ?? 0)
  const options = await deliveryOptionsOf(db, organizationId)
  const mayUnsubscribe = options.unsubscribes_elsewhere || options.receives_unsubscribes
  const allowed = rows.filter((row) => isForSender(JSON.parse(row.sender_domains) as string[], sender))
  const servers = await Promise.all(allowed.map((row) => routeServerOf(db, row)))
  return { name, servers, mayUnsubscribe, failures, readAt: now }
}

/** True if one of the servers of a route was changed after a time in UNIX milliseconds: what was found out about it may not hold any more. */
export async function hasChangedSince(
  db: Kysely<Schema>,
  organizationId: number,
  virtualMtaId: number | null,
  readAt: number
): Promise<boolean> {
  const servers = await serversOfRoute(db, organizationId, virtualMtaId ?? 0)
  return servers.some(({ updated_at }) => updated_at > readAt)
}

async function routeServerOf(db: Kysely<Schema>, row: SmtpServerRow): Promise<RouteServer> {
  const { id, name, host, port, security, authentication, username } = row
  // The campaigns that are being sent through a server share its connections.
  const sharing = await campaignsThrough(db, id)
  return {
    ...{ id, name, host, port, security, authentication, username },
    connections: Math.max(1, Math.floor(row.connections / Math.max(1, sharing))),
    messagesPerConnection: row.messages_per_connection,
    needsSecret: authentication !== 'none',
    signsDkim: row.signs_dkim === 1
  }
}
