import type { Kysely } from 'kysely'
import { exportsToRun } from '../api/subscriber-exports/queries.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import type { Job, JobKind } from '../jobs/job-runner.ts'

/** Exports, one at a time: reading is bound by the processor, and imports want some of it. */
export function exportJobs(reader: Kysely<Schema>, writer: Writer): JobKind<Job> {
  return {
    name: 'The export',
    entity: 'subscriber_export',
    thread: { base: import.meta.url, name: 'export-thread' },
    unfinished: async () => (await exportsToRun(reader)).map(({ id }) => ({ id, dueAt: 0 })),
    mayStart: (_job, running) => running.length === 0,
    end: (id, end) => writer.run('subscriberExports.end', { id, end })
  }
}
