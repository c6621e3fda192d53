import { windowPages } from './base/window-pages.ts'
import type { Kysely } from 'kysely'
import { jobPages } from './api/jobs/pages.ts'
import { jobs } from './api/jobs/queries.ts'
import { endedJobStates, type Job } from './api/jobs/schema.ts'
import { systemOrganizationId } from './api/organizations/rules.ts'
import { messageOf } from './base/errors.ts'
import type { Schema } from './database/schema.ts'
import type { Writer } from './database/writer.ts'

/** A job as the shell around the window shows it: also work that is no job of the API, but must not be cut off unasked either. */
export interface ShownJob {
  type: Job['job_type'] | 'BulkAction' | 'Sync'
  id: number
  /** Such as the name of the file. */
  name: string
  /** Of an ended job: finished, cancelled or failed. */
  state: Job['state'] | 'running'
  /** From 0 to 1; null = the total is unknown. */
  progress: number | null
  /** The page of the window that shows it; null where it belongs to another organization than the first one. */
  page: string | null
}

/** The jobs of all organizations. */
export interface JobsAtWork {
  running: ShownJob[]
  /** Jobs that ended since the last report. */
  ended: ShownJob[]
}

/** Shortest time between two reads, in milliseconds. */
const lookInterval = 1000
/** More of them run at no time. */
const maxAtOnce = 100
const entities = new Set([
  'subscriber_import',
  'subscriber_export',
  'campaign',
  'suppressed_address_import',
  'bulk_action',
  'sync_remote'
])

/** Reports the progress of jobs when one changes, and each second while one runs. */
export class JobWatch {
  readonly #reader: Kysely<Schema>
  #timer: NodeJS.Timeout | undefined
  #known = new Map<string, ShownJob>()
  #listeners: ((jobs: JobsAtWork) => void)[] = []
  #closed = false

  constructor(reader: Kysely<Schema>, writer: Writer) {
    this.#reader = reader
    writer.onChanges((changes) => {
      if (changes.some(({ entity }) => entities.has(entity))) this.#lookSoon()
    })
  }

  onJobs(listener: (jobs: JobsAtWork) => void): void {
    this.#listeners.push(listener)
    this.#lookSoon()
  }

  async running(): Promise<ShownJob[]> {
    const { rows } = await jobs(
      this.#reader,
      { organizationId: null, unfinishedOnly: true },
      { page: 0, per_page: maxAtOnce }
    )
    const begun = rows.filter(({ paused, started_at }) => paused === 0 && started_at !== null).map(shown)
    return [...begun, ...(await runningActions(this.#reader)), ...(await runningSyncs(this.#reader))]
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #lookSoon(): void {
    if (this.#listeners.length === 0 || this.#closed) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#look().catch((error: unknown) => {
        // When the application closes, the database closes and no listener is left.
        if (!this.#closed) process.stderr.write(`Jobs could not be looked at: ${messageOf(error)}\n`)
      })
    }, lookInterval)
  }

  async #look(): Promise<void> {
    const running = await this.running()
    const known = new Map(running.map((job) => [keyOf(job), job]))
    const gone = [...this.#known.values()].filter((job) => !known.has(keyOf(job)))
    this.#known = known
    const ended = gone.length === 0 ? [] : await this.#endOf(gone)
    if (this.#closed) return
    for (const listener of this.#listeners) listener({ running, ended })
    if (running.length > 0) this.#lookSoon()
  }

  /** Returns how jobs ended; paused ones are not reported. */
  async #endOf(gone: readonly ShownJob[]): Promise<ShownJob[]> {
    const wanted = new Set(gone.map(keyOf))
    const { rows } = await jobs(
      this.#reader,
      { organizationId: null, unfinishedOnly: false, finishedAfter: Date.now() - 60_000 },
      { page: 0, per_page: maxAtOnce }
    )
    const ended = rows.map(shown).filter((job) => wanted.has(keyOf(job)) && hasEnded(job))
    // Syncs run by themselves, so their end is not reported.
    return [...ended, ...(await endOfActions(this.#reader, gone))]
  }
}

function hasEnded({ state }: ShownJob): boolean {
  return (endedJobStates as readonly string[]).includes(state)
}

function keyOf({ type, id }: ShownJob): string {
  return `${type} ${id}`
}

async function runningActions(reader: Kysely<Schema>): Promise<ShownJob[]> {
  const rows = await actionsOf(reader).where('state', 'in', ['running', 'undoing']).execute()
  return rows.map((row) => shownAction(row, 'running'))
}

async function endOfActions(reader: Kysely<Schema>, gone: readonly ShownJob[]): Promise<ShownJob[]> {
  const ids = gone.filter(({ type }) => type === 'BulkAction').map(({ id }) => id)
  const rows = await actionsOf(reader).where('id', 'in', ids).execute()
  return rows.flatMap((row) => {
    const { state } = row
    if (state === 'running' || state === 'undoing') return []
    return [shownAction(row, state === 'undone' ? 'finished' : state)]
  })
}

function actionsOf(reader: Kysely<Schema>) {
  return reader
    .selectFrom('bulk_actions')
    .select([
      'id',
      'organization_id',
      'mailing_list_id',
      'description',
      'state',
      'total',
      'done',
      'undo_done'
    ])
}

type ActionRow = Awaited<ReturnType<ReturnType<typeof actionsOf>['execute']>>[number]

function shownAction(row: ActionRow, state: ShownJob['state']): ShownJob {
  const { id, organization_id: organizationId, mailing_list_id: listId, total } = row
  const done = row.state === 'undoing' ? row.undo_done : row.done
  return {
    type: 'BulkAction',
    id,
    name: row.description,
    state,
    progress: total === 0 ? null : Math.min(1, done / total),
    page: organizationId === systemOrganizationId ? windowPages.listTab(listId, 'bulk-actions') : null
  }
}

async function runningSyncs(reader: Kysely<Schema>): Promise<ShownJob[]> {
  const rows = await reader
    .selectFrom('sync_remotes')
    .select(['id', 'organization_id', 'name'])
    .where('state', '=', 'running')
    .execute()
  return rows.map(({ id, organization_id: organizationId, name }) => ({
    type: 'Sync',
    id,
    name,
    state: 'running',
    progress: null,
    page: organizationId === systemOrganizationId ? windowPages.remote(id) : null
  }))
}

type JobRow = Awaited<ReturnType<typeof jobs>>['rows'][number]

function shown(row: JobRow): ShownJob {
  const { job_type: type, id, name, state, progress_value: done, progress_total: total } = row
  return {
    type,
    id,
    name,
    state,
    progress: total === null || total === 0 ? null : Math.min(1, done / total),
    page: row.organization_id === systemOrganizationId ? jobPages[type](row) : null
  }
}
