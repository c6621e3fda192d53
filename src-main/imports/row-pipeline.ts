import { type ImportOutcome, importOutcomes } from '../api/subscriber-imports/schema.ts'
import { messageOf } from '../errors.ts'
import type { ImportLogs } from './logs.ts'
import { charactersPerBatch, type ImportBatch, type RowPlan, rowsPerBatch } from './plan.ts'
import { readRecords } from './records.ts'
import { missingRequiredFields, RowReader } from './rows.ts'

/** Batches that may wait for the writer: it groups some into a commit while the next ones are being read. */
const batchesInFlight = 20

/**
 * Applies a batch, the `index`th from 0.
 * @param before its outcomes, when an earlier run of the import committed it
 * @returns an index into importOutcomes for each row, or null when the import was paused or cancelled
 */
export type WriteBatch = (
  batch: ImportBatch,
  index: number,
  before: Uint8Array | undefined
) => Promise<Uint8Array | null>

interface Pending {
  batch: ImportBatch
  /** The rows that failed, by their place in the batch, for the log. */
  failures: Map<number, { row: string[]; message: string }>
  /** Roughly, of all its rows. */
  characters: number
}

/** Reads rows into batches, has them written, and logs what became of them, in the order of the file. */
export class RowPipeline {
  readonly #plan: RowPlan
  readonly #logs: ImportLogs
  readonly #writeBatch: WriteBatch
  readonly #rows: RowReader
  /** For a new subscriber that lacks a required field which no column fills. */
  readonly #missing: string | null
  #current: Pending
  #batches = 0
  #stopped = false
  #failure: Error | null = null
  #inFlight: Promise<void>[] = []
  readonly #full: Pending[] = []

  constructor(plan: RowPlan, logs: ImportLogs, writeBatch: WriteBatch) {
    this.#plan = plan
    this.#logs = logs
    this.#writeBatch = writeBatch
    this.#rows = new RowReader(plan)
    this.#missing = missingRequiredFields(plan)
    this.#current = this.#newPending()
  }

  /** @returns false when the import was paused or cancelled meanwhile */
  async run(): Promise<boolean> {
    await readRecords(
      this.#plan.path,
      this.#plan.settings.file_format,
      (row, line, fault) => this.#add(row, line, fault),
      () => this.#writeFull()
    )
    if (this.#current.batch.emails.length > 0) this.#full.push(this.#current)
    await this.#writeFull()
    await Promise.all(this.#inFlight)
    if (this.#failure) throw this.#failure
    return !this.#stopped
  }

  #add(row: string[], line: number, malformed: string | null): void {
    if (this.#stopped) return
    const { batch, failures } = this.#current
    const place = batch.emails.length
    const message = this.#rows.add(batch, row, malformed)
    if (message !== null) failures.set(place, { row, message: `line ${line}: ${message}` })
    else if (this.#missing !== null) failures.set(place, { row, message: `line ${line}: ${this.#missing}` })
    for (const cell of row) this.#current.characters += cell.length
    if (this.#isFull(this.#current)) {
      this.#full.push(this.#current)
      this.#current = this.#newPending()
    }
  }

  /** A batch that was committed before keeps the size that it had then. */
  #isFull({ batch, characters }: Pending): boolean {
    const rows = batch.emails.length
    const before = this.#plan.committed[this.#batches + this.#full.length]
    if (before) return rows === before.length
    return rows === rowsPerBatch || characters >= charactersPerBatch
  }

  #newPending(): Pending {
    return { batch: this.#rows.newBatch(), failures: new Map(), characters: 0 }
  }

  async #writeFull(): Promise<void> {
    for (let pending = this.#full.shift(); pending && !this.#stopped; pending = this.#full.shift()) {
      while (this.#inFlight.length >= batchesInFlight) await this.#inFlight.shift()
      this.#inFlight.push(this.#write(pending, this.#batches++).catch((error: unknown) => this.#fail(error)))
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new Error(messageOf(error))
    this.#stopped = true
  }

  async #write({ batch, failures }: Pending, index: number): Promise<void> {
    const outcomes = await this.#writeBatch(batch, index, this.#plan.committed[index])
    if (!outcomes) {
      this.#stopped = true
      return
    }
    for (const [place, code] of outcomes.entries()) {
      const outcome = importOutcomes[code] as ImportOutcome
      if (outcome === 'failed') {
        const failure = failures.get(place)
        this.#logs.addFailure(
          failure?.row ?? [batch.emails[place] ?? ''],
          failure?.message ?? 'the row failed'
        )
      } else this.#logs.addEmail(outcome, batch.emails[place] ?? '')
    }
    this.#logs.flush()
  }
}
