import { englishOf, type Refusal } from '../base/refusal.ts'
import type { RowOrder } from '../api/subscriber-imports/tables.ts'
import type { RowInterpreter } from '../contact-files/interpreter.ts'
import { unescapeFormula } from '../csv/formulas.ts'
import { type ImportOutcome, importOutcomes } from '../api/subscriber-imports/schema.ts'
import { messageOf } from '../base/errors.ts'
import { interpretedSettings, interpreterOf, readPlannedRecords } from './interpreted-rows.ts'
import { keyOrder } from './key-order.ts'
import type { ImportLogs } from './logs.ts'
import { freeBlocks, PackedRows } from './packed-rows.ts'
import { bytesPerBatch, type PackedBatch, type RowPlan, rowsPerBatch } from './plan.ts'
import { type Failure, RowPacker } from './row-packer.ts'
import { missingRequiredFields, RowReader } from './rows.ts'

const batchesInFlight = 20

/**
 * Rows of a part of the file: it is read whole before it is written, while the part before it is being written. In the
 * order of the keys the first part is small, so that the writing begins soon, and each one twice as large as the one
 * before.
 */
const rowsPerPart = { file: 10_000, key: 50_000 }
const maxRowsPerPart = 300_000
const bytesPerPart = 40 * 1024 * 1024
/** Rows after which the logs are handed to the operating system. */
const rowsPerFlush = 10_000

/**
 * Applies a batch, the `index`th from 0.
 * @param before the outcomes of its first rows, when an earlier run of the import committed them
 * @returns an index into importOutcomes for each row, or null when the import was paused or cancelled
 */
export type WriteBatch = (
  batch: PackedBatch,
  index: number,
  before: Uint8Array | undefined
) => Promise<Uint8Array | null>

/** Reads the rows of a file part by part, has them written in batches, and logs what became of them, in the order of the file. */
export class RowPipeline {
  readonly #plan: RowPlan
  readonly #rowOrder: RowOrder
  readonly #logs: ImportLogs
  readonly #writeBatch: WriteBatch
  readonly #beforePart: () => Promise<void>
  readonly #interpreter: RowInterpreter | null
  readonly #reader: RowReader
  readonly #packer: RowPacker
  readonly #missing: Refusal | null
  readonly #freeBlocks = freeBlocks(2.5 * bytesPerPart)
  #parts = 0
  #part: PackedRows
  readonly #full: PackedRows[] = []
  /** The writing of the part before. */
  #writing: Promise<void> = Promise.resolve()
  #batches = 0
  #stopped = false
  #failure: Error | null = null

  /** @param beforePart called before a part that was read is written; rejecting prevents it */
  constructor(
    plan: RowPlan,
    rowOrder: RowOrder,
    logs: ImportLogs,
    writeBatch: WriteBatch,
    beforePart: () => Promise<void> = () => Promise.resolve()
  ) {
    this.#plan = plan
    this.#rowOrder = rowOrder
    this.#logs = logs
    this.#writeBatch = writeBatch
    this.#beforePart = beforePart
    this.#interpreter = interpreterOf(plan)
    const { settings, reading, fields } = plan
    const readPlan = { ...plan, settings: interpretedSettings(settings, reading, fields) }
    this.#reader = new RowReader(readPlan)
    this.#packer = new RowPacker(this.#reader.newBatch())
    this.#missing = missingRequiredFields(readPlan)
    this.#part = this.#newPart()
  }

  async run(): Promise<boolean> {
    await readPlannedRecords(
      this.#plan,
      this.#plan.path,
      (row, line, fault) => this.#add(row, line, fault),
      () => this.#writeFull()
    )
    this.#full.push(this.#part)
    await this.#writeFull()
    await this.#writing
    if (this.#failure) throw this.#failure
    return !this.#stopped
  }

  #add(cells: string[], line: number, malformed: Refusal | null): void {
    if (this.#stopped) return
    if (this.#interpreter && malformed === null) {
      for (const { cells: row, fault } of this.#interpreter.read(cells)) this.#addRow(row, cells, line, fault)
      return
    }
    const row = this.#plan.settings.file_format.escape_formulas ? cells.map(unescapeFormula) : cells
    this.#addRow(row, row, line, malformed)
  }

  #addRow(row: string[], raw: string[], line: number, fault: Refusal | null): void {
    const failure = this.#reader.add(this.#packer.batch, row, fault) ?? this.#missing
    this.#part.add(this.#packer.pack(failure && { row: raw, message: `line ${line}: ${englishOf(failure)}` }))
    if (this.#part.count === this.#rowsOfPart() || this.#part.bytes >= bytesPerPart) {
      this.#full.push(this.#part)
      this.#parts++
      this.#part = this.#newPart()
    }
  }

  /** The size of parts depends on the file alone, so a continued import divides it like before. */
  #rowsOfPart(): number {
    const first = rowsPerPart[this.#rowOrder]
    return this.#rowOrder === 'file' ? first : Math.min(first * 2 ** this.#parts, maxRowsPerPart)
  }

  #newPart(): PackedRows {
    return new PackedRows(this.#freeBlocks, this.#rowsOfPart())
  }

  async #writeFull(): Promise<void> {
    for (let part = this.#full.shift(); part && !this.#stopped; part = this.#full.shift()) {
      await this.#writing
      this.#writing = this.#write(part).catch((error: unknown) => {
        this.#failure ??= error instanceof Error ? error : new Error(messageOf(error))
        this.#stopped = true
      })
    }
  }

  /** Writes a part in batches, and logs it once all of it is written. */
  async #write(part: PackedRows): Promise<void> {
    await this.#beforePart()
    const order = this.#orderOf(part)
    const outcomes = new Uint8Array(part.count)
    const inFlight: Promise<void>[] = []
    for (let from = 0; from < part.count && !this.#stopped;) {
      const before = this.#plan.committed[this.#batches]
      const rows = order.subarray(from, endOfBatch(part, order, from, before?.rows))
      const batch = this.#packer.batchOf(rows.length, part.join(rows))
      while (inFlight.length >= batchesInFlight) await inFlight.shift()
      const written = this.#writeBatch(batch, this.#batches++, before?.outcomes).then((codes) => {
        if (!codes) this.#stopped = true
        else for (const [place, row] of rows.entries()) outcomes[row] = codes[place] ?? 0
      })
      // Awaited below, where the first failure is thrown; until then it must not count as unhandled.
      written.catch(() => (this.#stopped = true))
      inFlight.push(written)
      // The rest of an interrupted batch is written before the next batch.
      if (before && before.outcomes.length < before.rows) await Promise.allSettled([written])
      from += rows.length
    }
    await Promise.all(inFlight)
    if (!this.#stopped) this.#log(part, outcomes)
    part.clear()
  }

  #orderOf(part: PackedRows): Uint32Array {
    return this.#rowOrder === 'key'
      ? keyOrder(part.count, (row, index) => part.byteOfKey(row, index))
      : Uint32Array.from({ length: part.count }, (_, row) => row)
  }

  #log(part: PackedRows, outcomes: Uint8Array): void {
    for (const [row, code] of outcomes.entries()) {
      const outcome = importOutcomes[code] as ImportOutcome
      const text = part.text(row)
      if (outcome === 'failed') {
        const failure: Failure = this.#packer.failureOf(text)
        this.#logs.addFailure(failure.row, failure.message)
      } else this.#logs.addEmail(outcome, this.#packer.emailOf(text))
      if (row % rowsPerFlush === 0) this.#logs.flush()
    }
    this.#logs.flush()
  }
}

/** @param size of the batch, when it was committed before: it keeps the size that it had then */
function endOfBatch(part: PackedRows, order: Uint32Array, from: number, size: number | undefined): number {
  if (size !== undefined) return Math.min(from + size, part.count)
  const most = Math.min(from + rowsPerBatch, part.count)
  let end = from
  for (let bytes = 0; end < most && bytes < bytesPerBatch; end++) bytes += part.bytesOf(order[end] ?? 0)
  return end
}
