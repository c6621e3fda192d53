import type { Generated } from 'kysely'
import type { CredentialPlace } from '../../base/credential-places.ts'
import type { Fixed, Flag, Json, Time } from '../../database/schema.ts'
import type { SmtpAuthentication, SmtpSecurity } from './schema.ts'

/** A mail server that takes messages over. Its password or token is kept elsewhere (base/credentials.ts). */
export interface SmtpServersTable {
  id: Generated<number>
  organization_id: Fixed<number>
  name: string
  name_key: string
  host: string
  port: number
  security: SmtpSecurity
  authentication: SmtpAuthentication
  username: string
  /** null = it has none. */
  credential_place: CredentialPlace | null
  /** JSON of domains in lower case; [] = all. */
  sender_domains: Json
  /** The most at once. */
  connections: number
  /** These limits are 0 for none. */
  messages_per_connection: number
  messages_per_minute: number
  messages_per_hour: number
  messages_per_day: number
  /** 1 = messages are handed over unsigned: the server signs them itself. */
  signs_dkim: Flag
  created_at: Fixed<Time>
  updated_at: Time
}

/** The servers of a route. A route without any is the outbox. */
export interface RouteServersTable {
  organization_id: number
  /** 0 = the system default route. */
  virtual_mta_id: number
  smtp_server_id: number
  position: number
}

/** How many messages a server was given in a minute, for its limits. */
export interface SmtpUsageTable {
  smtp_server_id: number
  /** Minutes since 1970. */
  minute: number
  messages: number
}

declare module '../../database/schema.ts' {
  interface Schema {
    smtp_servers: SmtpServersTable
    route_servers: RouteServersTable
    smtp_usage: SmtpUsageTable
  }
  interface ChangedEntities {
    smtp_server: unknown
    delivery_route: unknown
  }
}
