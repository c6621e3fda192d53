import { headersOf } from '../contact-files/schema.ts'
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import type { FileFormat } from '../api/subscriber-imports/schema.ts'
import { internalError, validationFailed } from '../base/errors.ts'
import { refusal } from '../base/refusal.ts'
import { endThread, startThread } from '../base/threads.ts'
import { type DryRunProgress, type DryRunThreadOptions, dryRunLogs, newProgress } from './dry-run.ts'

declare module '../http/context.ts' {
  interface ApplicationContext {
    dryRuns: DryRuns
  }
}

interface DryRun {
  id: string
  organizationId: number
  thread: Worker
  progress: DryRunProgress
  format: FileFormat
  columns: readonly (string | null)[]
  /** The names of the columns, where the file has some. */
  headers: readonly string[] | null
}

const maxKept = 5
const maxAtOnce = 2

function isAtWork({ state }: DryRunProgress): boolean {
  return state === 'splitting' || state === 'importing'
}

/**
 * Dry runs of imports: each in a thread of its own that reads the database and writes nothing but logs. They live as long
 * as the application and are not resumed: a dry run that is lost is made again.
 */
export class DryRuns {
  readonly #databasePath: string
  readonly #directory: string
  readonly #runs = new Map<string, DryRun>()

  constructor(dataDirectory: string, databasePath: string) {
    this.#databasePath = databasePath
    this.#directory = join(dataDirectory, 'imports', 'dry-runs')
  }

  async prepare(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true })
  }

  /**
   * @param input room: how many subscribers may be added; Infinity without a limit
   * @returns its id
   * @throws ApiError validation_failed while too many are running
   */
  async start(
    organizationId: number,
    input: Pick<DryRunThreadOptions, 'plan' | 'mailingListId' | 'room'>
  ): Promise<string> {
    if ([...this.#runs.values()].filter(({ progress }) => isAtWork(progress)).length >= maxAtOnce) {
      throw validationFailed(refusal('too_many_dry_runs', { count: maxAtOnce }))
    }
    const id = randomUUID()
    const options: DryRunThreadOptions = {
      ...input,
      databasePath: this.#databasePath,
      directory: join(this.#directory, id)
    }
    const thread = startThread(import.meta.url, 'dry-run-thread', {
      data: options,
      name: `dry run ${id}`
    })
    const run: DryRun = {
      id,
      organizationId,
      thread,
      progress: newProgress(),
      format: input.plan.settings.file_format,
      columns: input.plan.settings.column_mapping,
      headers: input.plan.reading && headersOf(input.plan.reading)
    }
    this.#runs.set(id, run)
    thread.on('message', (progress: DryRunProgress) => (run.progress = progress))
    thread.on('error', (error) => {
      run.progress = {
        ...run.progress,
        state: 'failed',
        fault: internalError('The dry run', error)
      }
    })
    // Not earlier: another start in the meantime must find this dry run.
    const [oldest] = this.#runs.keys()
    if (oldest !== undefined && this.#runs.size > maxKept) await this.#remove(oldest)
    return id
  }

  find(
    organizationId: number,
    id: string
  ): (Pick<DryRun, 'progress' | 'format' | 'columns' | 'headers'> & { logs: string }) | undefined {
    const run = this.#runs.get(id)
    if (run?.organizationId !== organizationId) return undefined
    const { progress, format, columns, headers } = run
    return { progress, format, columns, headers, logs: dryRunLogs(join(this.#directory, id)) }
  }

  async remove(organizationId: number, id: string): Promise<boolean> {
    if (this.#runs.get(id)?.organizationId !== organizationId) return false
    await this.#remove(id)
    return true
  }

  async close(): Promise<void> {
    await Promise.all([...this.#runs.keys()].map((id) => this.#remove(id)))
  }

  async #remove(id: string): Promise<void> {
    const run = this.#runs.get(id)
    this.#runs.delete(id)
    if (run) await endThread(run.thread)
    await rm(join(this.#directory, id), { recursive: true, force: true })
  }
}
