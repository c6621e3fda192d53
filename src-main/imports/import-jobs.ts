import type { Kysely } from 'kysely'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type ImportRow, unfinishedImports } from '../api/subscriber-imports/queries.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { dueTime } from '../jobs/due.ts'
import type { Job, JobKind } from '../jobs/job-runner.ts'
import type { ImportThreadData, ImportWork } from './import-thread.ts'
import { unpackedPath } from './source.ts'

/** Imports that work at the same time, on different lists. More would only wait for the one writer. */
const maxAtOnce = 2

const maxDownloadsAtOnce = { ofOrganization: 4, ofAll: 16 }

interface ImportJob extends Job {
  mailingListId: number
  organizationId: number
  work: ImportWork
}

/** Imports: one at a time per list, several across lists. */
export function importJobs(
  reader: Kysely<Schema>,
  writer: Pick<Writer, 'run'>,
  dataDirectory: string
): JobKind<ImportJob> {
  return {
    name: 'The import',
    entity: 'subscriber_import',
    thread: { base: import.meta.url, name: 'import-thread' },
    threadData: ({ work }): ImportThreadData => ({ work }),
    unfinished: async () => (await unfinishedImports(reader)).map(jobOf),
    mayStart,
    end: (id, end) => writer.run('subscriberImports.end', { id, end }),
    cleanUp: (id) => removeContent(reader, dataDirectory, id)
  }
}

function jobOf(row: ImportRow): ImportJob {
  return {
    id: row.id,
    dueAt: dueTime(row),
    mailingListId: row.mailing_list_id,
    organizationId: row.organization_id,
    work: row.source_url !== null && row.source_fingerprint === null ? 'download' : 'import'
  }
}

/** True unless the list has an earlier import. One that waits for its file blocks no other. */
function mayStart({ work, mailingListId, organizationId }: ImportJob, running: ImportJob[]): boolean {
  const same = running.filter((each) => each.work === work)
  if (work === 'download') {
    const own = same.filter((each) => each.organizationId === organizationId)
    return own.length < maxDownloadsAtOnce.ofOrganization && same.length < maxDownloadsAtOnce.ofAll
  }
  return same.length < maxAtOnce && !same.some((each) => each.mailingListId === mailingListId)
}

async function removeContent(reader: Kysely<Schema>, dataDirectory: string, id: number): Promise<void> {
  const row = await reader
    .selectFrom('subscriber_imports')
    .select(['source_path', 'source_type', 'finished_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row || row.finished_at === null) return
  await rm(unpackedPath(dataDirectory, id), { force: true })
  if (row.source_type !== 'upload_directory') await rm(join(dataDirectory, row.source_path), { force: true })
}
