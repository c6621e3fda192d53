import type { ColumnType } from './format.ts'

/** A value as SQLite stores it; integers are read as bigint. */
export type Stored = string | number | bigint | Buffer | null

/**
 * A value as an archive holds it. Text that is JSON stands there as what it means, where reading it back gives the same text; bytes
 * are in base64, and integers that JSON cannot hold in quotation marks.
 */
export function archived(value: Stored): unknown {
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  }
  if (Buffer.isBuffer(value)) return value.toString('base64')
  return typeof value === 'string' ? (structureIn(value) ?? value) : value
}

function structureIn(text: string): object | null {
  if (!text.startsWith('{') && !text.startsWith('[')) return null
  try {
    const found = JSON.parse(text) as object
    return JSON.stringify(found) === text ? found : null
  } catch {
    // The text only begins like JSON.
    return null
  }
}

/**
 * Converts a value back that {@link archived} converted.
 * @returns undefined if it is no value of a column of this type
 */
export function restored(value: unknown, type: ColumnType): Stored | undefined {
  if (value === null || value === undefined) return null
  switch (type) {
    case 'INTEGER':
      if (Number.isSafeInteger(value)) return BigInt(value as number)
      if (
        typeof value === 'string' &&
        /^-?\d{1,19}$/.test(value) &&
        BigInt.asIntN(64, BigInt(value)) === BigInt(value)
      )
        return BigInt(value)
      break
    case 'REAL':
      if (typeof value === 'number') return value
      break
    case 'BLOB':
      if (typeof value === 'string') return Buffer.from(value, 'base64')
      break
    case 'TEXT':
      if (typeof value === 'string') return value
      if (typeof value === 'object') return JSON.stringify(value)
      break
  }
  return undefined
}
