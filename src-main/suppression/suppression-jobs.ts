import type { Kysely } from 'kysely'
import { suppressedAddressImportsToRun } from '../api/suppressed-address-imports/queries.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import type { Job, JobKind } from '../jobs/job-runner.ts'

/** Files of addresses to suppress, one at a time. */
export function suppressionJobs(reader: Kysely<Schema>, writer: Writer): JobKind<Job> {
  return {
    name: 'The import',
    entity: 'suppressed_address_import',
    thread: { base: import.meta.url, name: 'suppression-thread' },
    unfinished: async () => (await suppressedAddressImportsToRun(reader)).map(({ id }) => ({ id, dueAt: 0 })),
    mayStart: (_job, running) => running.length === 0,
    end: (id, end) => writer.run('suppressedAddressImports.end', { id, end })
  }
}
