import { type DamagedPages, treeHeaderOf } from './pages.ts'

// Tables and indexes are B-trees (https://sqlite.org/fileformat2.html, "B-tree Pages" and "Record Format").

/** The possible values of a column; integers beyond 2^53 are bigint. */
export type StoredColumn = null | number | bigint | string | Buffer

export interface TreeRow {
  /** Null in an index. */
  rowid: number | bigint | null
  values: StoredColumn[]
  /** True if its page differs from the checksum. */
  isDoubtful: boolean
}

class Malformed extends Error {}

export const leafOfTable = 13
const kinds: Record<number, { isLeaf: boolean; isTable: boolean }> = {
  2: { isLeaf: false, isTable: false },
  5: { isLeaf: false, isTable: true },
  10: { isLeaf: true, isTable: false },
  [leafOfTable]: { isLeaf: true, isTable: true }
}

/** Findings of reading a tree, besides its rows. */
export interface TreeVisit {
  pages: Set<number>
  /** True if a part of it is unreachable. */
  isBroken: boolean
  /** True = follow references from pages that differ from their checksum; the caller checks what it gets. */
  followsUnlike?: boolean
}

/**
 * Yields the rows of a tree as far as it can be followed. References on pages that differ from their checksum
 * are not followed, since they may lead into another tree.
 */
export function* rowsOfTree(
  pages: DamagedPages,
  root: number,
  visit: TreeVisit = { pages: new Set(), isBroken: false }
): Generator<TreeRow> {
  const bytes = visit.pages.has(root) || root < 1 || root > pages.count ? null : pages.read(root)
  const kind = bytes && kinds[bytes.readUInt8(treeHeaderOf(root))]
  if (!kind || (!kind.isLeaf && pages.unlike.has(root) && !visit.followsUnlike)) {
    visit.isBroken = true
    return
  }
  visit.pages.add(root)
  const children: number[] = []
  for (const cell of cellsOf(pages, root, bytes)) {
    if (cell === null) visit.isBroken = true
    else if (typeof cell === 'number') children.push(cell)
    else yield cell
  }
  for (const child of children) yield* rowsOfTree(pages, child, visit)
}

/** The rows of one page of a table; none where it is something else. */
export function rowsOfPage(pages: DamagedPages, page: number): TreeRow[] {
  const bytes = pages.read(page)
  if (bytes?.readUInt8(treeHeaderOf(page)) !== leafOfTable) return []
  return [...cellsOf(pages, page, bytes)].filter((cell) => cell !== null && typeof cell === 'object')
}

/** Rows and the numbers of pages further down; null for each cell that cannot be read. */
function* cellsOf(pages: DamagedPages, page: number, bytes: Buffer): Generator<TreeRow | number | null> {
  const at = treeHeaderOf(page)
  const kind = kinds[bytes.readUInt8(at)]
  if (!kind) return
  const { isLeaf, isTable } = kind
  const pointers = at + (isLeaf ? 8 : 12)
  const cells = bytes.readUInt16BE(at + 3)
  if (pointers + 2 * cells > pages.usable) return void (yield null)
  for (let cell = 0; cell < cells; cell++) {
    const start = bytes.readUInt16BE(pointers + 2 * cell)
    try {
      if (!isLeaf) yield bytes.readUInt32BE(start)
      if (isLeaf || !isTable) yield rowAt(pages, page, bytes, isLeaf ? start : start + 4, isTable)
    } catch (error) {
      if (!(error instanceof Malformed || error instanceof RangeError)) throw error
      yield null
    }
  }
  if (!isLeaf) yield bytes.readUInt32BE(at + 8)
}

function rowAt(pages: DamagedPages, page: number, bytes: Buffer, start: number, isTable: boolean): TreeRow {
  const [length, afterLength] = readVarint(bytes, start)
  const [rowid, content] = isTable ? readVarint(bytes, afterLength) : [null, afterLength]
  if (typeof length === 'bigint' || length > pages.count * pages.pageSize) throw new Malformed()
  const { payload, isDoubtful } = payloadAt(pages, bytes, content, length, isTable)
  return { rowid, values: recordOf(payload), isDoubtful: isDoubtful || pages.unlike.has(page) }
}

/**
 * Returns the payload of a cell. The rest of a long payload is read from its overflow pages (SQLite file
 * format, "Cell Payload Overflow Pages").
 */
function payloadAt(
  pages: DamagedPages,
  bytes: Buffer,
  start: number,
  length: number,
  isTable: boolean
): { payload: Buffer; isDoubtful: boolean } {
  const { usable } = pages
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const usual = least + ((length - least) % (usable - 4))
  const here = length <= most ? length : usual <= most ? usual : least
  if (start + here > usable) throw new Malformed()
  const parts = [bytes.subarray(start, start + here)]
  let isDoubtful = false
  let next = here < length ? bytes.readUInt32BE(start + here) : 0
  for (let missing = length - here; missing > 0;) {
    const more = next > 0 && next <= pages.count ? pages.read(next) : null
    if (!more) throw new Malformed()
    isDoubtful ||= pages.unlike.has(next)
    parts.push(more.subarray(4, Math.min(4 + missing, usable)))
    missing -= usable - 4
    next = more.readUInt32BE(0)
  }
  return { payload: parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts), isDoubtful }
}

function recordOf(payload: Buffer): StoredColumn[] {
  const [headerLength, first] = readVarint(payload, 0)
  if (typeof headerLength === 'bigint' || headerLength > payload.length) throw new Malformed()
  const values: StoredColumn[] = []
  let at = headerLength
  for (let type = first; type < headerLength;) {
    const [serialType, next] = readVarint(payload, type)
    if (typeof serialType === 'bigint') throw new Malformed()
    const length = lengthOf(serialType)
    if (at + length > payload.length) throw new Malformed()
    values.push(valueAt(payload, at, serialType, length))
    at += length
    type = next
  }
  return values
}

const lengths = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]

function lengthOf(serialType: number): number {
  if (serialType >= 12) return Math.floor((serialType - 12) / 2)
  const length = lengths[serialType]
  if (length === undefined) throw new Malformed()
  return length
}

function valueAt(payload: Buffer, at: number, serialType: number, length: number): StoredColumn {
  if (serialType >= 12) {
    return serialType % 2 === 0
      ? Buffer.from(payload.subarray(at, at + length))
      : payload.toString('utf8', at, at + length)
  }
  if (serialType === 0) return null
  if (serialType >= 8) return serialType - 8
  if (serialType === 7) return payload.readDoubleBE(at)
  return length === 8 ? smallest(payload.readBigInt64BE(at)) : payload.readIntBE(at, length)
}

/** @returns the number, and where what follows it begins */
function readVarint(bytes: Buffer, at: number): [number | bigint, number] {
  let value = 0
  for (let byte = 0; byte < 7; byte++) {
    const part = bytes.readUInt8(at + byte)
    value = value * 128 + (part & 127)
    if (part < 128) return [value, at + byte + 1]
  }
  let large = BigInt(value)
  for (let byte = 7; byte < 9; byte++) {
    const part = bytes.readUInt8(at + byte)
    large = byte === 8 ? (large << 8n) + BigInt(part) : (large << 7n) + BigInt(part & 127)
    if (byte === 8 || part < 128) return [smallest(BigInt.asIntN(64, large)), at + byte + 1]
  }
  throw new Malformed()
}

function smallest(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}
