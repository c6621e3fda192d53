import { open, readFile, stat, truncate, writeFile } from 'node:fs/promises'

// What disks do to the files of a database.

/** A number from 0 on, less than 1. */
export type Random = () => number

const pageSize = 4096

/**
 * Changes 1 to 20 random bytes of a file to different values.
 * @param within only the first so many bytes; default: the whole file
 */
export async function changeBytes(path: string, random: Random, within = Infinity): Promise<void> {
  const bytes = await readFile(path)
  const length = Math.min(bytes.length, within)
  for (let changes = 1 + Math.floor(random() * 20); changes > 0; changes--) {
    const at = Math.floor(random() * length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 + Math.floor(random() * 255))
  }
  await writeFile(path, bytes)
}

/** Fills a page of a database. */
export async function changePage(path: string, random: Random, byte: () => number): Promise<void> {
  const { size } = await stat(path)
  const page = Math.floor((random() * size) / pageSize)
  const file = await open(path, 'r+')
  await file.write(Buffer.from(Array.from({ length: pageSize }, byte)), 0, pageSize, page * pageSize)
  await file.close()
}

/** Puts two pages of a database in each other’s place. */
export async function swapPages(path: string, random: Random): Promise<void> {
  const bytes = await readFile(path)
  const pageAt = (page: number): Buffer => bytes.subarray(page * pageSize, (page + 1) * pageSize)
  const somePage = (): number => Math.floor((random() * bytes.length) / pageSize)
  const one = somePage()
  let other = somePage()
  // Those of empty tables are the same.
  while (pageAt(one).equals(pageAt(other))) other = somePage()
  const before = Buffer.from(pageAt(one))
  pageAt(other).copy(pageAt(one))
  before.copy(pageAt(other))
  await writeFile(path, bytes)
}

/** Cuts a file off. */
export async function cutShort(path: string, random: Random): Promise<void> {
  await truncate(path, Math.floor(random() * (await stat(path)).size))
}
