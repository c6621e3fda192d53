import type { Kysely } from 'kysely'
import type { Credentials } from '../../base/credentials.ts'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import { gateOf } from '../../gates/queries.ts'
import type { Job, JobKind } from '../../jobs/job-runner.ts'
import { polledJobs } from '../../jobs/polled-jobs.ts'

/** Fetches what visitors did from each gate when it is due. */
export function gateJobs(
  reader: Kysely<Schema>,
  writer: Pick<Writer, 'run'>,
  credentials: Pick<Credentials, 'read'>
): JobKind<Job> {
  return polledJobs({
    name: 'Fetching from a gate',
    entity: 'url_domain',
    thread: { base: import.meta.url, name: 'gate-thread' },
    credentials,
    ownerOf: (id) => `gate-${id}`,
    placeOf: async (id) => (await gateOf(reader, id))?.credential_place ?? null,
    sources: () =>
      reader
        .selectFrom('gates')
        .select(['url_domain_id as id', 'next_at', 'begun_at'])
        .where('credential_place', 'is not', null)
        .orderBy('next_at')
        .execute(),
    end: (id, end) => writer.run('gateFetches.end', { id, end })
  })
}
