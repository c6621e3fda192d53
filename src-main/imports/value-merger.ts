import { ValueScanner } from '../api/custom-fields/scan-values.ts'
import type { StoredValues } from '../api/custom-fields/rules.ts'

/** Merges the values of rows into those of subscribers, both as JSON. */
export class ValueMerger {
  /** Ascending. */
  readonly #ids: readonly number[]
  readonly #overwritten: ReadonlySet<number>
  readonly #before: ValueScanner
  readonly #row: ValueScanner

  /**
   * @param fieldIds of all fields of the list and the file
   * @param overwrittenIds of those that a blank cell clears; others keep their value then
   */
  constructor(fieldIds: Iterable<number>, overwrittenIds: Iterable<number>) {
    this.#ids = [...new Set(fieldIds)].sort((a, b) => a - b)
    this.#overwritten = new Set(overwrittenIds)
    this.#before = new ValueScanner(this.#ids)
    this.#row = new ValueScanner(this.#ids)
  }

  /** @returns `before` itself if no value differs; otherwise the keys are in ascending order */
  merge(before: string, row: string): string {
    if (before === row) return before
    const known = this.#before.scan(before)
    const given = this.#row.scan(row)
    // Such as the values of a deleted field.
    if (this.#before.hasOthers) return this.#mergeParsed(before, row)
    let merged = ''
    let isSame = true
    for (const [index, id] of this.#ids.entries()) {
      const own = known[index] ?? null
      const value = given[index] ?? (this.#overwritten.has(id) ? null : own)
      if (value !== own) isSame = false
      if (value !== null) merged += `${merged === '' ? '{' : ','}"${id}":${value}`
    }
    return isSame ? before : `${merged || '{'}}`
  }

  #mergeParsed(before: string, row: string): string {
    const values = JSON.parse(before) as StoredValues
    for (const id of this.#overwritten) delete values[id]
    // Integer-like keys come out in ascending order, so equal values give equal text.
    const merged = JSON.stringify({ ...values, ...(JSON.parse(row) as StoredValues) })
    return merged === before ? before : merged
  }
}
