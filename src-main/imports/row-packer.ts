import { emailKey } from '../api/subscribers/rules.ts'
import type { ImportBatch, PackedBatch } from './plan.ts'

/** Why a row fails, now or if its key turns out to be new: the original row and the sentence. */
export interface Failure {
  row: string[]
  message: string
}

/** A line feed occurs neither in emails nor in JSON text, so it can separate the values. */
const separator = '\n'

type Column = keyof ImportBatch
const numbers: readonly Column[] = ['confirmed', 'subscribeTimes', 'removeTimes']

/**
 * Turns checked rows into texts: key, email if it differs, the other columns of a batch, and the failure, each with a
 * line feed at its end. The key is what the rows of a list differ in, so it is what they are ordered by.
 */
export class RowPacker {
  /** Packs one row after another. */
  readonly batch: ImportBatch
  readonly #columns: readonly Column[]

  constructor(batch: ImportBatch) {
    this.batch = batch
    this.#columns = (Object.keys(batch) as Column[]).filter(
      (column) => column !== 'emails' && column !== 'alternateKeys'
    )
  }

  pack(failure: Failure | null): string {
    const { emails, alternateKeys } = this.batch
    const email = emails.pop() ?? ''
    const key = alternateKeys ? JSON.stringify(alternateKeys.pop() ?? '') : email && emailKey(email)
    let text = key + separator + (email === key ? '' : email) + separator
    for (const column of this.#columns) text += (this.batch[column]?.pop() ?? '') + separator
    return text + (failure ? JSON.stringify(failure) : '') + separator
  }

  batchOf(rows: number, bytes: Uint8Array): PackedBatch {
    return { rows, columns: this.#columns, hasAlternateKeys: this.batch.alternateKeys !== undefined, bytes }
  }

  emailOf(text: string): string {
    const end = text.indexOf(separator)
    const email = text.slice(end + 1, text.indexOf(separator, end + 1))
    return email === '' && !this.batch.alternateKeys ? text.slice(0, end) : email
  }

  failureOf(text: string): Failure {
    const failure = text.slice(text.lastIndexOf(separator, text.length - 2) + 1)
    if (failure === separator) return { row: [this.emailOf(text)], message: 'the row failed' }
    return JSON.parse(failure) as Failure
  }
}

export function unpackBatch({ rows, columns, bytes, hasAlternateKeys }: PackedBatch): ImportBatch {
  const cells = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8').split(separator)
  const width = columns.length + 3
  const batch: ImportBatch = { emails: [], customFields: [] }
  if (hasAlternateKeys) batch.alternateKeys = []
  else batch.emailKeys = []
  for (let row = 0; row < rows; row++) {
    const [key, email] = [cells[row * width] ?? '', cells[row * width + 1] ?? '']
    batch.emails.push(email === '' && !hasAlternateKeys ? key : email)
    batch.alternateKeys?.push(JSON.parse(key) as string)
    batch.emailKeys?.push(key)
  }
  for (const [place, column] of columns.entries()) {
    const values: (string | number | null)[] = []
    for (let row = 0; row < rows; row++) values.push(valueOf(column, cells[row * width + 2 + place] ?? ''))
    Object.assign(batch, { [column]: values })
  }
  return batch
}

function valueOf(column: Column, cell: string): string | number | null {
  if (column === 'customFields') return cell
  if (cell === '') return null
  return numbers.includes(column) ? Number(cell) : cell
}
