import type { Kysely } from 'kysely'
import type { Credentials } from '../../base/credentials.ts'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import type { Job, JobKind } from '../../jobs/job-runner.ts'
import { polledJobs } from '../../jobs/polled-jobs.ts'

/** Reads each mailbox when it is due. */
export function mailboxJobs(
  reader: Kysely<Schema>,
  writer: Pick<Writer, 'run'>,
  credentials: Pick<Credentials, 'read'>
): JobKind<Job> {
  return polledJobs({
    name: 'Reading a mailbox',
    entity: 'mailbox',
    thread: { base: import.meta.url, name: 'mailbox-thread' },
    credentials,
    ownerOf: (id) => `imap-${id}`,
    placeOf: async (id) => {
      const { credential_place } = await reader
        .selectFrom('mailboxes')
        .select('credential_place')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return credential_place
    },
    sources: () =>
      reader
        .selectFrom('mailboxes')
        .select(['id', 'next_at', 'begun_at'])
        .where('is_enabled', '=', 1)
        .where((where) =>
          where.or([where('credential_place', 'is not', null), where('protocol', '=', 'maildir')])
        )
        .orderBy('next_at')
        .execute(),
    end: (id, end) => writer.run('mailboxReadings.end', { id, end })
  })
}
