import type { Kysely } from 'kysely'
import type { Change } from '../database/command.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { messageOf } from '../base/errors.ts'
import type { Job, JobKind } from '../jobs/job-runner.ts'
import type { Credentials } from '../base/credentials.ts'
import { remotesToRun } from './queries.ts'
import type { SyncThreadData } from './sync-thread.ts'

interface SyncJob extends Job {
  apiKey: string | null
}

/** Remotes that have a run before them, one run at a time: each keeps the processor and the network busy. */
export function syncJobs(reader: Kysely<Schema>, writer: Writer, credentials: Credentials): JobKind<SyncJob> {
  return {
    name: 'The sync',
    entity: 'sync_remote',
    thread: { base: import.meta.url, name: 'sync-thread' },
    threadData: ({ apiKey }): SyncThreadData => ({ apiKey }),
    unfinished: async (now) =>
      Promise.all(
        (await remotesToRun(reader)).map(
          async ({ id, state, requested_at, next_run_at, credential_place }) => {
            // An interrupted run continues at once.
            const dueAt = requested_at !== null || state === 'running' ? 0 : (next_run_at ?? 0)
            // Read only when due: a keyring may ask its owner to unlock it.
            const apiKey = dueAt <= now ? await credentials.read(id, credential_place) : null
            return { id, dueAt, apiKey }
          }
        )
      ),
    mayStart: (_job, running) => running.length === 0,
    end: (id, end) => writer.run('syncs.endJob', { id, end }),
    noteStop: (id) => writer.run('syncs.noteStop', { id })
  }
}

const mirrored = new Set<Change['entity']>([
  'mailing_list',
  'custom_field',
  'subscriber',
  'segment',
  'campaign',
  'suppression_list'
])
/** Milliseconds for which changes are collected before they are sent. */
const quiet = 1000

/** Starts a run soon after a change, for remotes that follow each change. */
export class ChangeWatch {
  readonly #writer: Writer
  readonly #organizationIds = new Set<number>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(writer: Writer) {
    this.#writer = writer
    writer.onChanges((changes) => {
      if (this.#isClosed) return
      for (const { entity, organizationId } of changes) {
        if (mirrored.has(entity)) this.#organizationIds.add(organizationId)
      }
      if (this.#organizationIds.size > 0) this.#timer ??= setTimeout(() => void this.#tell(), quiet).unref()
    })
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  async #tell(): Promise<void> {
    const organizationIds = [...this.#organizationIds]
    this.#organizationIds.clear()
    this.#timer = undefined
    try {
      await this.#writer.run('syncs.noteChange', { organizationIds })
    } catch (error) {
      // When the application closes, the writer stops whatever it was asked.
      if (this.#isClosed) return
      process.stderr.write(`Changes could not be noted for sync: ${messageOf(error)}\n`)
    }
  }
}
