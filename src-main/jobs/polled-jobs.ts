import type { Credentials, CredentialOwner } from '../base/credentials.ts'
import type { CredentialPlace } from '../base/credential-places.ts'
import type { JobKind, Job } from './job-runner.ts'

/** Jobs that run at once at the most. */
const maxAtOnce = 4

/** The password, token or key of a polled source; null = it cannot be read. */
export interface PolledData {
  secret: string | null
}

/** A source that is read now and then with a secret: a mailbox, or a gate. */
export interface PolledSource {
  id: number
  /** UNIX milliseconds. */
  next_at: number
  /** When reading it began the last time; 0 = never. */
  begun_at: number
}

interface Polled extends Pick<JobKind<Job>, 'name' | 'entity' | 'thread' | 'end'> {
  credentials: Pick<Credentials, 'read'>
  ownerOf: (id: number) => CredentialOwner
  /** Returns where the secret of a source is; null = it has none. */
  placeOf: (id: number) => Promise<CredentialPlace | null>
  /** Returns those that are read, and have a secret: that of a new one is stored after it. */
  sources: () => Promise<PolledSource[]>
}

/** Reads each source when it is due, and at a start at once: much may have come meanwhile. */
export function polledJobs({ credentials, ownerOf, placeOf, sources, ...kind }: Polled): JobKind<Job> {
  const startedAt = Date.now()
  return {
    ...kind,
    threadData: async ({ id }): Promise<PolledData> => {
      const place = await placeOf(id)
      return { secret: place === null ? null : await credentials.read(ownerOf(id), place) }
    },
    restartsOn: ({ entity, isUnlogged }) => entity === kind.entity && !isUnlogged,
    unfinished: async () =>
      (await sources()).map(({ id, next_at, begun_at }) => ({
        id,
        dueAt: begun_at < startedAt ? 0 : next_at
      })),
    mayStart: (_job, running) => running.length < maxAtOnce
  }
}
