import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { copyFile, mkdir, open, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { digestOf } from './file-content.ts'

// What was answered with success outlasts a loss of power: the bytes are on disk, and the directory knows their name.

/** Returns the name of a file that is not complete. */
export function partialPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.part`)
}

/** Syncs a directory's names to disk. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows syncs directories by itself and cannot open them.
  if (process.platform === 'win32') return
  await sync(path, 'r')
}

/** Creates a directory and its parents durably. */
export async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made))
}

/** Syncs a file's content to disk. */
export function syncFile(path: string): Promise<void> {
  return sync(path, 'r+')
}

/** The same before this returns, for callers that cannot wait for a promise. */
export function syncFileSync(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** @param flags Windows flushes a file only through a handle that may write, Linux a directory only through one that may read */
async function sync(path: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Writes a file that is on disk when this resolves. Wherever it is cut off, its path holds all of the new content or what it held before.
 * @param mode of a file that is made
 */
export async function writeDurably(path: string, content: string | Uint8Array, mode = 0o666): Promise<void> {
  const partial = partialPath(path)
  try {
    await writeFile(partial, content, { mode })
    await moveDurably(partial, () => path)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

/** Removes a file that may be there; it does not come back after a loss of power. */
export async function removeDurably(path: string): Promise<void> {
  await rm(path, { force: true })
  await syncDirectory(dirname(path))
}

/** Copies a file; the copy is whole and on disk when this resolves, and has its name only then. */
export function copyDurably(from: string, to: string): Promise<void> {
  return copyAs(from, to, () => Promise.resolve())
}

/** The same for a drive that is not trusted. @throws Error with a sentence where it gives back something else */
export function copyCompared(from: string, to: string): Promise<void> {
  return copyAs(from, to, async (partial) => {
    const [written, readBack] = await Promise.all([digestOf(from), digestOf(partial)])
    if (!written.equals(readBack)) throw new Error(`The file ${to} cannot be read back as it was written.`)
  })
}

async function copyAs(from: string, to: string, compare: (partial: string) => Promise<void>): Promise<void> {
  const partial = partialPath(to)
  try {
    await copyFile(from, partial)
    await syncFile(partial)
    await compare(partial)
    await moveDurably(partial, () => to)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

/**
 * Renames a complete file durably.
 * @param choose returns the path at the last moment: of two files at once, the second sees the first
 * @returns the path
 */
export async function moveDurably(from: string, choose: () => string): Promise<string> {
  await syncFile(from)
  const to = choose()
  renameSync(from, to)
  await syncDirectory(dirname(to))
  return to
}
