import type { Kysely } from 'kysely'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { unfinishedImports } from '../api/subscriber-imports/queries.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { messageOf } from '../errors.ts'
import { untilStored } from '../jobs/until-stored.ts'
import { startThread } from '../threads.ts'
import type { ImportThreadOptions, ImportWork } from './import-thread.ts'
import { giveReserveBack, takeReserve } from '../jobs/reserve.ts'
import { unpackedPath } from './source.ts'
import { isDue } from '../jobs/due.ts'
import { wakeOn } from '../jobs/wake-on.ts'

/** Imports that work at the same time, on different lists. More would only wait for the one writer. */
const mostAtOnce = 2

/** Imports of an organization that wait for their files at the same time, and those of all. */
const mostDownloadsAtOnce = { ofOrganization: 4, ofAll: 16 }

/** Longest wait until the imports that are due are looked for again, in milliseconds. */
const longestWait = 60_000

/** How long an import that nothing could be written of waits before it begins again, in milliseconds. */
const waitForStorage = 2000

interface RunningImport {
  mailingListId: number
  organizationId: number
  work: ImportWork
  thread: Worker
}

type NextImport = Omit<RunningImport, 'thread'>

/** Gives each import that is due a thread of its own: one at a time per list, several across lists. */
export class ImportRunner {
  readonly #reader: Kysely<Schema>
  readonly #writer: Writer
  readonly #dataDirectory: string
  /** import id -> its thread */
  readonly #running = new Map<number, RunningImport>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(reader: Kysely<Schema>, writer: Writer, dataDirectory: string) {
    this.#reader = reader
    this.#writer = writer
    this.#dataDirectory = dataDirectory
    wakeOn(writer, 'subscriber_import', () => this.wake())
  }

  /** Starts what is due and stops what is not; to be called at the start. */
  async wake(): Promise<void> {
    if (this.#closed) return
    clearTimeout(this.#timer)
    const waiting = await unfinishedImports(this.#reader)
    for (const [importId, { thread }] of this.#running) {
      if (!waiting.some(({ id }) => id === importId)) thread.postMessage('stop')
    }
    const now = Date.now()
    for (const row of waiting) {
      if (!isDue(row, now) || this.#running.has(row.id) || this.#closed) continue
      const work: ImportWork =
        row.source_url !== null && row.source_fingerprint === null ? 'download' : 'import'
      const next = { mailingListId: row.mailing_list_id, organizationId: row.organization_id, work }
      if (this.#mayStart(next)) this.#start(row.id, next)
    }
    const next = waiting.find((row) => !isDue(row, now))
    if (next) {
      this.#timer = setTimeout(() => void this.wake(), Math.min(next.begins_at - now, longestWait))
      this.#timer.unref()
    }
  }

  /** Stops the threads where they are; the imports continue when the application starts again. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await Promise.all([...this.#running.values()].map(({ thread }) => thread.terminate()))
  }

  /** An import that waits for its file holds up nobody: not the next one of its list either. */
  #mayStart({ work, mailingListId, organizationId }: NextImport): boolean {
    const same = [...this.#running.values()].filter((each) => each.work === work)
    if (work === 'download') {
      const own = same.filter((each) => each.organizationId === organizationId)
      return own.length < mostDownloadsAtOnce.ofOrganization && same.length < mostDownloadsAtOnce.ofAll
    }
    return same.length < mostAtOnce && !same.some((each) => each.mailingListId === mailingListId)
  }

  #start(importId: number, next: NextImport): void {
    takeReserve(this.#dataDirectory)
    const port = this.#writer.connect()
    const options: ImportThreadOptions = {
      importId,
      work: next.work,
      dataDirectory: this.#dataDirectory,
      writer: port
    }
    const thread = startThread(import.meta.url, 'import-thread', {
      workerData: options,
      transferList: [port],
      name: `import ${importId}`
    })
    this.#running.set(importId, { ...next, thread })
    let failure: string | null = null
    let again = false
    thread.on('error', (error) => (failure = messageOf(error)))
    thread.on('message', () => (again = true))
    thread.on('exit', () => void this.#ended(importId, failure, again))
  }

  /** @param again whether it should begin again after a while, because neither it nor why it stopped could be written */
  async #ended(importId: number, failure: string | null, again: boolean): Promise<void> {
    if (again && !this.#closed) await pause(waitForStorage, undefined, { ref: false })
    if (failure !== null) {
      const message = `The import was stopped by an internal error: ${failure}`
      await untilStored(
        () => this.#writer.run('failImport', { id: importId, message }),
        () => this.#closed,
        () => giveReserveBack(this.#dataDirectory)
      )
    }
    this.#running.delete(importId)
    if (this.#closed) return
    await this.#removeContent(importId)
    await this.wake()
  }

  /** What was kept for the import alone is not needed once it has ended. */
  async #removeContent(importId: number): Promise<void> {
    const row = await this.#reader
      .selectFrom('subscriber_imports')
      .select(['source_path', 'source_type', 'finished_at'])
      .where('id', '=', importId)
      .executeTakeFirst()
    if (!row || row.finished_at === null) return
    await rm(unpackedPath(this.#dataDirectory, importId), { force: true })
    if (row.source_type === 'upload_directory') return
    await rm(join(this.#dataDirectory, row.source_path), { force: true })
  }
}
