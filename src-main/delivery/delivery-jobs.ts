import type { Kysely } from 'kysely'
import { signingKeysOf } from './signing.ts'
import { deliveriesToDo, type DeliveryJob, serversOfCampaign } from './queries.ts'
import type { SmtpServerRow } from '../api/smtp-servers/queries.ts'
import { jobDatabaseOf } from '../api/database-connections/queries.ts'
import type { Credentials } from '../base/credentials.ts'
import type { Schema } from '../database/schema.ts'
import { gateKeys } from '../gates/queries.ts'
import type { Writer } from '../database/writer.ts'
import type { Job, JobKind } from '../jobs/job-runner.ts'
import type { DeliveryData } from './delivery.ts'
import { removeSpoolUnlessNeeded } from './old-spools.ts'
import type { RetrySchedule } from './smtp/retry-schedule.ts'

const maxAtOnce = 8
/** How long replies of mail servers are waited for when the application closes, in milliseconds: all of it takes five seconds at most. */
const graceOnClose = 1500

export interface DeliveryServices {
  credentials: Pick<Credentials, 'read'>
  /** For links without a URL domain, without a path. */
  linkBase: string
  schedule: RetrySchedule
  /** The DNS servers to ask; none = those of the system. */
  dnsServers: readonly string[]
}

/** Runs campaigns that are due or whose split test is due. */
export function deliveryJobs(
  reader: Kysely<Schema>,
  writer: Pick<Writer, 'run'>,
  dataDirectory: string,
  services: DeliveryServices
): JobKind<DeliveryJob> {
  return {
    name: 'Sending',
    entity: 'campaign',
    thread: { base: import.meta.url, name: 'delivery-thread' },
    ...sendingByServers(
      reader,
      services,
      (id) => serversOfCampaign(reader, id),
      (id) => databaseOf(reader, services.credentials, id)
    ),
    unfinished: (now) => deliveriesToDo(reader, now),
    // Choosing a winner is not held up by other campaigns that are being sent.
    mayStart: ({ isDecision }, running) => isDecision || running.length < maxAtOnce,
    end: (id, end) => writer.run('deliveries.end', { id, end }),
    cleanUp: (id) => removeSpoolUnlessNeeded(reader, dataDirectory, id)
  }
}

/** A change of these holds from the next message on. */
const restarting: ReadonlySet<string> = new Set([
  ...['smtp_server', 'delivery_route', 'dkim_key', 'url_domain', 'database_connection']
])

/**
 * What all jobs that send have in common.
 * @param serversOf returns the servers of a job's route
 * @param databaseOf returns where the recipients of a job are, if that is another database
 */
export function sendingByServers(
  reader: Kysely<Schema>,
  { credentials, linkBase, schedule, dnsServers }: DeliveryServices,
  serversOf: (id: number) => Promise<SmtpServerRow[]>,
  databaseOf: (id: number) => Promise<DeliveryData['database']> = async () => null
): Pick<JobKind<Job>, 'threadData' | 'restartsOn' | 'graceOnClose'> {
  return {
    threadData: async ({ id }): Promise<DeliveryData> => {
      const servers = await serversOf(id)
      const [server] = servers
      const signingKeys = server ? await signingKeysOf(reader, server.organization_id, credentials) : []
      return {
        ...{ linkBase, signingKeys, schedule, dnsServers },
        secrets: await secretsOf(servers, credentials),
        gateKeys: await gateKeys(reader, credentials),
        database: await databaseOf(id)
      }
    },
    restartsOn: ({ entity, isUnlogged }) => restarting.has(entity) && !isUnlogged,
    graceOnClose
  }
}

/** Returns where the recipients of a campaign are; null for a list with subscribers. */
async function databaseOf(
  reader: Kysely<Schema>,
  credentials: DeliveryServices['credentials'],
  campaignId: number
): Promise<DeliveryData['database']> {
  const connection = await reader
    .selectFrom('campaigns')
    .innerJoin('mailing_lists', 'mailing_lists.id', 'campaigns.mailing_list_id')
    .innerJoin('database_connections', 'database_connections.id', 'database_connection_id')
    .selectAll('database_connections')
    .where('campaigns.id', '=', campaignId)
    .executeTakeFirst()
  return connection ? jobDatabaseOf(connection, credentials) : null
}

/** Reads the passwords and tokens of servers, by id; null = one cannot be read. */
export async function secretsOf(
  servers: readonly Pick<SmtpServerRow, 'id' | 'credential_place'>[],
  credentials: DeliveryServices['credentials']
): Promise<Record<number, string | null>> {
  const secrets = servers.map(async ({ id, credential_place: place }): Promise<[number, string | null]> => [
    id,
    place === null ? null : await credentials.read(`smtp-${id}`, place)
  ])
  return Object.fromEntries(await Promise.all(secrets))
}
