import type { Kysely } from 'kysely'
import { signingKeysOf } from './signing.ts'
import { deliveriesToDo, type DeliveryJob, serversOfCampaign } from './queries.ts'
import type { SmtpServerRow } from '../api/smtp-servers/queries.ts'
import type { Credentials } from '../base/credentials.ts'
import type { Schema } from '../database/schema.ts'
import { gateKeys } from '../gates/queries.ts'
import type { Writer } from '../database/writer.ts'
import type { Job, JobKind } from '../jobs/job-runner.ts'
import type { DeliveryData } from './delivery.ts'
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
  services: DeliveryServices
): JobKind<DeliveryJob> {
  return {
    name: 'Sending',
    entity: 'campaign',
    thread: { base: import.meta.url, name: 'delivery-thread' },
    ...sendingByServers(reader, services, (id) => serversOfCampaign(reader, id)),
    unfinished: (now) => deliveriesToDo(reader, now),
    // Choosing a winner is not held up by other campaigns that are being sent.
    mayStart: ({ isDecision }, running) => isDecision || running.length < maxAtOnce,
    end: (id, end) => writer.run('deliveries.end', { id, end })
  }
}

/** A change of these holds from the next message on. */
const restarting: ReadonlySet<string> = new Set(['smtp_server', 'delivery_route', 'dkim_key', 'url_domain'])

/** What all jobs that send have in common. @param serversOf returns the servers of a job's route */
export function sendingByServers(
  reader: Kysely<Schema>,
  { credentials, linkBase, schedule, dnsServers }: DeliveryServices,
  serversOf: (id: number) => Promise<SmtpServerRow[]>
): Pick<JobKind<Job>, 'threadData' | 'restartsOn' | 'graceOnClose'> {
  return {
    threadData: async ({ id }): Promise<DeliveryData> => {
      const servers = await serversOf(id)
      const [server] = servers
      const signingKeys = server ? await signingKeysOf(reader, server.organization_id, credentials) : []
      return {
        ...{ linkBase, signingKeys, schedule, dnsServers },
        secrets: await secretsOf(servers, credentials),
        gateKeys: await gateKeys(reader, credentials)
      }
    },
    restartsOn: ({ entity, isUnlogged }) => restarting.has(entity) && !isUnlogged,
    graceOnClose
  }
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
