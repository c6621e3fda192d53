import SQLite from 'better-sqlite3'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { replaceSums } from '../../src-main/database/page-sums.ts'
import { openForGood, sumsOf } from '../../src-main/integrity/verify-pages.ts'
import { DamagedPages } from '../../src-main/salvage/pages.ts'
import { rowsOfPage, rowsOfTree, type StoredColumn, type TreeRow } from '../../src-main/salvage/trees.ts'
import { temporaryDirectory } from '../support/application.ts'
import { seededRandom } from '../support/random.ts'

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

const numbers = [
  0n,
  1n,
  2n,
  -1n,
  127n,
  -128n,
  128n,
  32_767n,
  -32_768n,
  32_768n,
  2n ** 23n - 1n,
  -(2n ** 23n),
  2n ** 23n,
  2n ** 31n - 1n,
  -(2n ** 31n),
  2n ** 31n,
  2n ** 47n - 1n,
  -(2n ** 47n),
  2n ** 47n,
  2n ** 53n - 1n,
  2n ** 53n,
  -(2n ** 53n),
  2n ** 62n,
  2n ** 63n - 1n,
  -(2n ** 63n)
]

interface Made {
  path: string
  roots: { table: number; index: number }
  rows: { rowid: bigint; values: unknown[] }[]
}

async function made(pageSize: number, lengths: number[]): Promise<Made> {
  const path = join(await temporaryDirectory(), 'listwright.db')
  const database = new SQLite(path)
  database.defaultSafeIntegers()
  database.pragma(`page_size = ${pageSize}`)
  database.exec('CREATE TABLE t (a, b, c, d); CREATE INDEX i ON t (b, a)')
  database.exec('BEGIN')
  const add = database.prepare('INSERT INTO t (rowid, a, b, c, d) VALUES (?, ?, ?, ?, ?)')
  const rowids = [...numbers, ...lengths.map((_, index) => 1000n + BigInt(index))]
  for (const rowid of rowids) {
    const length = lengths[Number(rowid) - 1000] ?? 3
    add.run(
      rowid,
      rowid,
      'é'.repeat(Math.floor(length / 2)),
      Buffer.alloc(length % 700, length > 2000 ? 9 : 7),
      1.5
    )
  }
  add.run(500n, null, '', Buffer.alloc(0), -0.25)
  database.exec('COMMIT')
  const rows = database.prepare('SELECT rowid, a, b, c, d FROM t ORDER BY rowid').all() as Record<
    string,
    unknown
  >[]
  const root = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck()
  const roots = { table: Number(root.get('t')), index: Number(root.get('i')) }
  database.close()
  return {
    path,
    roots,
    rows: rows.map(({ rowid, a, b, c, d }) => ({ rowid: rowid as bigint, values: [a, b, c, d] }))
  }
}

function opened(path: string): DamagedPages {
  return new DamagedPages({ databasePath: path, file: openForGood(path) })
}

function treeOf(pages: DamagedPages, root: number, followsUnlike = false) {
  const visit = { pages: new Set<number>(), isBroken: false, followsUnlike }
  return { rows: [...rowsOfTree(pages, root, visit)], ...visit }
}

const big = (value: unknown): unknown => (Number.isInteger(value) ? BigInt(value as number) : value)
const allBig = (row: TreeRow) => ({ rowid: big(row.rowid), values: row.values.map(big) })
const byRowid = (a: { rowid: unknown }, b: { rowid: unknown }): number =>
  (a.rowid as bigint) < (b.rowid as bigint) ? -1 : 1

const everyLength = Array.from({ length: 1400 }, (_, length) => length)

it.each([512, 1024, 4096, 65_536])(
  'every row of a table and of an index is read as SQLite reads it, in pages of %d bytes',
  async (pageSize) => {
    const { path, roots, rows } = await made(pageSize, [...everyLength, 5000, 20_000, 140_000])
    const pages = opened(path)
    expect(pages.pageSize).toBe(pageSize)
    const table = treeOf(pages, roots.table)
    expect(table.isBroken).toBe(false)
    expect(table.rows.map(allBig).sort(byRowid)).toEqual(rows)
    const index = treeOf(pages, roots.index)
    expect(index.isBroken).toBe(false)
    expect(index.rows.every(({ rowid, isDoubtful }) => rowid === null && !isDoubtful)).toBe(true)
    const inIndex = index.rows.map(({ values: [b, a, rowid] }) => ({
      rowid: big(rowid),
      values: [big(a), b]
    }))
    expect(inIndex.sort(byRowid)).toEqual(
      rows.map(({ rowid, values: [a, b] }) => ({ rowid, values: [a, b] }))
    )
    // The pages of the trees alone, not those in which long records go on.
    expect([...table.pages].some((page) => index.pages.has(page))).toBe(false)
    const ofPages = [...table.pages].flatMap((page) => rowsOfPage(pages, page))
    expect(ofPages.map(allBig).sort(byRowid)).toEqual(rows)
    expect([...index.pages].flatMap((page) => rowsOfPage(pages, page))).toEqual([])
    pages.close()
  }
)

it('integers that JavaScript keeps exactly are numbers, and larger ones are bigints', async () => {
  const { path, roots } = await made(4096, [])
  const pages = opened(path)
  const byId = new Map(treeOf(pages, roots.table).rows.map((row) => [row.rowid, row.values[0]]))
  const read: StoredColumn[] = [2 ** 53 - 1, 2n ** 53n, -(2n ** 63n), 2n ** 63n - 1n, -1]
  for (const value of read) {
    expect(byId.has(value as number | bigint)).toBe(true)
    expect(byId.get(value as number | bigint)).toBe(value)
  }
  expect(byId.get(500)).toBeNull()
  pages.close()
})

/** A database with checksums and some changed bytes. */
async function damaged(change: (bytes: Buffer, made: Made, pageSize: number) => void) {
  const pageSize = 4096
  const whole = await made(pageSize, [...everyLength.slice(0, 400), 10_000])
  await replaceSums(whole.path, sumsOf(openForGood(whole.path)))
  const bytes = await readFile(whole.path)
  change(bytes, whole, pageSize)
  await writeFile(whole.path, bytes)
  return { ...whole, pages: opened(whole.path) }
}

const pageOf = (bytes: Buffer, page: number, pageSize: number): Buffer =>
  bytes.subarray((page - 1) * pageSize, page * pageSize)

it('a row whose record goes on in a page that is not what was written is doubtful', async () => {
  const { pages, roots } = await damaged((bytes) => {
    // What ends the longest row stands in no index.
    bytes[bytes.indexOf(Buffer.alloc(200, 9)) + 20] = 8
  })
  const { rows, isBroken } = treeOf(pages, roots.table)
  expect(isBroken).toBe(false)
  const doubtful = rows.filter((row) => row.isDoubtful)
  expect(doubtful.map(({ rowid }) => rowid)).toEqual([1400])
  pages.close()
})

it('a page that references others is not followed if it differs from its checksum, unless requested', async () => {
  const { pages, roots } = await damaged((bytes, { roots: { table } }, pageSize) => {
    // Between the pointers to its cells and the cells nothing stands.
    const page = pageOf(bytes, table, pageSize)
    page[12 + 2 * page.readUInt16BE(3)] = 1
  })
  const strict = treeOf(pages, roots.table)
  expect(strict).toMatchObject({ rows: [], isBroken: true })
  const lenient = treeOf(pages, roots.table, true)
  expect(lenient.isBroken).toBe(false)
  expect(lenient.rows).toHaveLength(numbers.length + 402)
  // What stands further down is what was written.
  expect(lenient.rows.some(({ isDoubtful }) => isDoubtful)).toBe(false)
  pages.close()
})

it('a page that cannot be a page of a tree breaks it, and the rest is read', async () => {
  const { pages, roots, rows } = await damaged((bytes, { roots: { table } }, pageSize) => {
    const page = pageOf(bytes, table, pageSize)
    const firstChild = page.readUInt32BE(page.readUInt16BE(12))
    pageOf(bytes, firstChild, pageSize)[0] = 99
  })
  const { rows: found, isBroken } = treeOf(pages, roots.table)
  expect(isBroken).toBe(true)
  expect(found.length).toBeGreaterThan(rows.length / 2)
  expect(found.length).toBeLessThan(rows.length)
  for (const root of [0, -1, pages.count + 1]) {
    expect(treeOf(pages, root)).toMatchObject({ rows: [], isBroken: true })
  }
  pages.close()
})

it('a tree that leads back to itself ends', async () => {
  const { pages, roots } = await damaged((bytes, { roots: { table } }, pageSize) => {
    const page = pageOf(bytes, table, pageSize)
    page.writeUInt32BE(table, 8)
  })
  expect(treeOf(pages, roots.table, true).isBroken).toBe(true)
  pages.close()
})

it('of a cell that cannot be one nothing is read, and of a page with more cells than fit', async () => {
  for (const change of [
    (page: Buffer) => page.writeUInt16BE(0xffff, 8),
    (page: Buffer) => page.writeUInt8(0xff, page.readUInt16BE(8)),
    // A record that would end behind the page.
    (page: Buffer) => {
      page.writeUInt16BE(page.length - 10, 8)
      page.set([100, 1], page.length - 10)
    }
  ]) {
    const { pages, rows, roots } = await damaged((bytes, { roots: { table } }, pageSize) => {
      const page = pageOf(bytes, table, pageSize)
      change(pageOf(bytes, page.readUInt32BE(page.readUInt16BE(12)), pageSize))
    })
    const { rows: found, isBroken } = treeOf(pages, roots.table)
    expect(isBroken).toBe(true)
    expect(found).toHaveLength(rows.length - 1)
    pages.close()
  }
  const { pages, rows, roots } = await damaged((bytes, { roots: { table } }, pageSize) => {
    const page = pageOf(bytes, table, pageSize)
    pageOf(bytes, page.readUInt32BE(page.readUInt16BE(12)), pageSize).writeUInt16BE(0xffff, 3)
  })
  expect(treeOf(pages, roots.table).rows.length).toBeLessThan(rows.length - 1)
  pages.close()
})

it('as many free pages are found as SQLite counts', async () => {
  const { path } = await made(512, everyLength)
  const database = new SQLite(path)
  database.exec('DELETE FROM t WHERE rowid BETWEEN 1010 AND 2390')
  const count = database.pragma('freelist_count', { simple: true }) as number
  database.close()
  // More than the list has room for in its first page.
  expect(count).toBeGreaterThan(300)
  const pages = opened(path)
  const free = pages.freePages()
  expect(free.size).toBe(count)
  expect(Math.max(...free)).toBeLessThanOrEqual(pages.count)
  pages.close()
  // A list of them that leads to no page, and one that leads back, end.
  const bytes = await readFile(path)
  for (const next of [pages.count + 1, bytes.readUInt32BE(32)]) {
    bytes.writeUInt32BE(next, (bytes.readUInt32BE(32) - 1) * 512)
    await writeFile(path, bytes)
    const broken = opened(path)
    expect(broken.freePages().size).toBeLessThan(count)
    broken.close()
  }
})

it(`whatever bytes are changed, reading a tree ends without a fault of the program (SEED=${seed})`, async () => {
  const random = seededRandom(seed)
  const { path, roots } = await made(512, everyLength.slice(0, 300))
  const whole = await readFile(path)
  for (let round = 0; round < 60; round++) {
    const bytes = Buffer.from(whole)
    for (let change = 0; change < 40; change++) {
      bytes[512 + Math.floor(random() * (bytes.length - 512))] = Math.floor(random() * 256)
    }
    await writeFile(path, bytes)
    const pages = opened(path)
    for (const root of Object.values(roots)) treeOf(pages, root, true)
    for (let page = 1; page <= pages.count; page++) rowsOfPage(pages, page)
    pages.close()
  }
})
