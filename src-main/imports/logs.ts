import { closeSync, fdatasyncSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FileFormat, type ImportOutcome } from '../api/subscriber-imports/schema.ts'
import { csvWriter } from '../csv/csv-writer.ts'

export function logDirectory(dataDirectory: string, importId: number): string {
  return join(dataDirectory, 'imports', String(importId))
}

/** The file of one log: `failed` is a CSV, every other one holds an email a line (docs/api.md, "Subscriber imports"). */
export function logPath(directory: string, outcome: ImportOutcome): string {
  return join(directory, outcome === 'failed' ? 'failed.csv' : `${outcome}.txt`)
}

/**
 * Writes the logs of a running import. They follow from the file and the committed outcomes alone, so an import that was
 * interrupted writes them anew from its first row.
 */
export class ImportLogs {
  readonly #directory: string
  readonly #csv: ReturnType<typeof csvWriter>
  readonly #files = new Map<ImportOutcome, number>()
  readonly #pending = new Map<ImportOutcome, string>()

  constructor(directory: string, format: FileFormat) {
    this.#directory = directory
    this.#csv = csvWriter(format)
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory, { recursive: true })
  }

  addEmail(outcome: ImportOutcome, email: string): void {
    this.#append(outcome, `${email}\n`)
  }

  addFailure(row: readonly string[], message: string): void {
    this.#append('failed', this.#csv([[...row, message]]))
  }

  #append(outcome: ImportOutcome, text: string): void {
    this.#pending.set(outcome, (this.#pending.get(outcome) ?? '') + text)
  }

  flush(): void {
    for (const [outcome, text] of this.#pending) writeFileSync(this.#fileOf(outcome), Buffer.from(text))
    this.#pending.clear()
  }

  close(): void {
    this.flush()
    for (const file of this.#files.values()) {
      fdatasyncSync(file)
      closeSync(file)
    }
    this.#files.clear()
  }

  #fileOf(outcome: ImportOutcome): number {
    let file = this.#files.get(outcome)
    if (file === undefined) {
      file = openSync(logPath(this.#directory, outcome), 'w')
      this.#files.set(outcome, file)
    }
    return file
  }
}
