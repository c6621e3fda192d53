import type { Kysely } from 'kysely'
import type { Worker } from 'node:worker_threads'
import { exportsToRun } from '../api/subscriber-exports/queries.ts'
import type { Schema } from '../database/schema.ts'
import type { Writer } from '../database/writer.ts'
import { messageOf } from '../errors.ts'
import { giveReserveBack, takeReserve } from '../jobs/reserve.ts'
import { untilStored } from '../jobs/until-stored.ts'
import { startThread } from '../threads.ts'
import type { ExportThreadOptions } from './export-thread.ts'

/** Gives one export at a time a thread: reading is bound by the processor, and imports want some of it. */
export class ExportRunner {
  readonly #reader: Kysely<Schema>
  readonly #writer: Writer
  readonly #dataDirectory: string
  #running: Worker | null = null
  #closed = false

  constructor(reader: Kysely<Schema>, writer: Writer, dataDirectory: string) {
    this.#reader = reader
    this.#writer = writer
    this.#dataDirectory = dataDirectory
  }

  /** Starts the oldest export that waits; to be called at the start and whenever the state of an export changed. */
  async wake(): Promise<void> {
    const [next] = await exportsToRun(this.#reader)
    if (!next || this.#running || this.#closed) return
    takeReserve(this.#dataDirectory)
    const port = this.#writer.connect()
    const options: ExportThreadOptions = {
      exportId: next.id,
      dataDirectory: this.#dataDirectory,
      writer: port
    }
    const thread = startThread(import.meta.url, 'export-thread', {
      workerData: options,
      transferList: [port],
      name: `export ${next.id}`
    })
    this.#running = thread
    let failure: string | null = null
    thread.on('message', (message: string) => (failure = message))
    thread.on('error', (error) => (failure = `The export stopped by an error of ours: ${messageOf(error)}`))
    thread.on('exit', () => void this.#ended(next.id, failure))
  }

  /** Stops the thread where it is; the export continues when the application starts again. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#running?.terminate()
  }

  async #ended(exportId: number, failure: string | null): Promise<void> {
    if (failure !== null) {
      const message = failure
      await untilStored(
        () => this.#writer.run('failExport', { id: exportId, message }),
        () => this.#closed,
        () => giveReserveBack(this.#dataDirectory)
      )
    }
    this.#running = null
    if (!this.#closed) await this.wake()
  }
}
