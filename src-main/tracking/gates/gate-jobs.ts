import type { Kysely } from 'kysely'
import type { Credentials } from '../../base/credentials.ts'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import type { Job, JobKind } from '../../jobs/job-runner.ts'

const maxAtOnce = 4

/** The key of a gate; null = it cannot be read. */
export interface GateData {
  key: string | null
}

/** Fetches what visitors did from each gate when it is due. */
export function gateJobs(
  reader: Kysely<Schema>,
  writer: Pick<Writer, 'run'>,
  credentials: Pick<Credentials, 'read'>
): JobKind<Job> {
  const startedAt = Date.now()
  return {
    name: 'Fetching from a gate',
    entity: 'url_domain',
    thread: { base: import.meta.url, name: 'gate-thread' },
    threadData: async ({ id }): Promise<GateData> => {
      const { credential_place: place } = await reader
        .selectFrom('gates')
        .select('credential_place')
        .where('url_domain_id', '=', id)
        .executeTakeFirstOrThrow()
      return { key: place === null ? null : await credentials.read(`gate-${id}`, place) }
    },
    restartsOn: ({ entity, isUnlogged }) => entity === 'url_domain' && !isUnlogged,
    unfinished: async () => {
      const rows = await reader
        .selectFrom('gates')
        .select(['url_domain_id as id', 'next_at', 'begun_at'])
        // The key of a new one is stored after it.
        .where('credential_place', 'is not', null)
        .orderBy('next_at')
        .execute()
      // At a start, what happened meanwhile is fetched at once.
      return rows.map(({ id, next_at, begun_at }) => ({ id, dueAt: begun_at < startedAt ? 0 : next_at }))
    },
    mayStart: (_job, running) => running.length < maxAtOnce,
    end: (id, end) => writer.run('gateFetches.end', { id, end })
  }
}
