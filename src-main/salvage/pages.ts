import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { contentOfLog } from '../database/write-ahead-log.ts'
import { type OpenDatabase, pageSizeOf, verifyPages } from '../integrity/verify-pages.ts'

// The format of the file is SQLite's, and does not change: https://sqlite.org/fileformat2.html

/** Offsets in the header of a database, in bytes. */
const header = { length: 100, reserved: 20, firstFreePage: 32, schema: 60 }

/** Reads the pages of a database and its log directly, since SQLite cannot read beyond broken ones. */
export class DamagedPages {
  readonly pageSize: number
  /** Bytes of a page that hold content. */
  readonly usable: number
  readonly count: number
  /** Pages that differ from their checksum. */
  readonly unlike: ReadonlySet<number>
  /** True if the end of the file is missing. */
  readonly isCutShort: boolean
  readonly #file: number
  readonly #log: number | null
  readonly #inLog: ReadonlyMap<number, number>

  constructor(database: OpenDatabase) {
    const content = contentOfLog(database.databasePath)
    const { unlike, pageSize } = verifyPages(database, content)
    this.unlike = new Set(unlike)
    this.#file = database.file
    this.#inLog = content.pages
    this.#log = content.pages.size > 0 ? openSync(`${database.databasePath}-wal`, 'r') : null
    this.pageSize = pageSize ?? pageSizeOf(database.file)
    let count = Math.floor(fstatSync(database.file).size / this.pageSize)
    for (const page of content.pages.keys()) count = Math.max(count, page)
    this.count = count
    this.isCutShort = unlike.some((page) => page > count)
    // Listwright reserves no bytes, but a damaged first page may claim that it does.
    const isHeaderWhole = this.schema() !== null && !this.unlike.has(1)
    this.usable = this.pageSize - (isHeaderWhole ? (this.read(1)?.readUInt8(header.reserved) ?? 0) : 0)
  }

  /** @param page from 1 on. @returns null where there is none */
  read(page: number): Buffer | null {
    const inLog = this.#inLog.get(page)
    const bytes = Buffer.allocUnsafe(this.pageSize)
    const read =
      inLog !== undefined && this.#log !== null
        ? readSync(this.#log, bytes, 0, this.pageSize, inLog)
        : readSync(this.#file, bytes, 0, this.pageSize, (page - 1) * this.pageSize)
    return read === this.pageSize ? bytes : null
  }

  /** The schema that wrote the database; null where that cannot be read any more. */
  schema(): number | null {
    const first = this.read(1)
    return first !== null && first.toString('latin1', 0, 15) === 'SQLite format 3'
      ? first.readUInt32BE(header.schema)
      : null
  }

  freePages(): Set<number> {
    const free = new Set<number>()
    let trunk = this.schema() === null ? 0 : (this.read(1)?.readUInt32BE(header.firstFreePage) ?? 0)
    while (trunk > 0 && trunk <= this.count && !free.has(trunk)) {
      free.add(trunk)
      const bytes = this.read(trunk)
      if (!bytes) break
      const leaves = Math.min(bytes.readUInt32BE(4), this.usable / 4 - 2)
      for (let leaf = 0; leaf < leaves; leaf++) free.add(bytes.readUInt32BE(8 + 4 * leaf))
      trunk = bytes.readUInt32BE(0)
    }
    return free
  }

  close(): void {
    if (this.#log !== null) closeSync(this.#log)
  }
}

/** Returns the offset of a tree's header in its page: the first page begins with the database's header. */
export function treeHeaderOf(page: number): number {
  return page === 1 ? header.length : 0
}
