import type { Kysely } from 'kysely'
import type { Credentials } from '../../base/credentials.ts'
import type { Schema } from '../../database/schema.ts'
import type { Writer } from '../../database/writer.ts'
import type { Job, JobKind } from '../../jobs/job-runner.ts'

const maxAtOnce = 4

/** The password or token of a mailbox; null = it cannot be read. */
export interface MailboxData {
  secret: string | null
}

/** Reads each mailbox when it is due. */
export function mailboxJobs(
  reader: Kysely<Schema>,
  writer: Pick<Writer, 'run'>,
  credentials: Pick<Credentials, 'read'>
): JobKind<Job> {
  const startedAt = Date.now()
  return {
    name: 'Reading a mailbox',
    entity: 'mailbox',
    thread: { base: import.meta.url, name: 'mailbox-thread' },
    threadData: async ({ id }): Promise<MailboxData> => {
      const { credential_place: place } = await reader
        .selectFrom('mailboxes')
        .select('credential_place')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return { secret: place === null ? null : await credentials.read(`imap-${id}`, place) }
    },
    restartsOn: ({ entity, isUnlogged }) => entity === 'mailbox' && !isUnlogged,
    unfinished: async () => {
      const rows = await reader
        .selectFrom('mailboxes')
        .select(['id', 'next_at', 'begun_at'])
        .where('is_enabled', '=', 1)
        // The password of a new one is stored after it.
        .where('credential_place', 'is not', null)
        .orderBy('next_at')
        .execute()
      // At a start, what came meanwhile is read at once.
      return rows.map(({ id, next_at, begun_at }) => ({ id, dueAt: begun_at < startedAt ? 0 : next_at }))
    },
    mayStart: (_job, running) => running.length < maxAtOnce,
    end: (id, end) => writer.run('mailboxReadings.end', { id, end })
  }
}
