import { renameSync } from 'node:fs'
import { copyFile, mkdir, open, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

// What was answered with success outlasts a loss of power: the bytes are on disk, and the directory knows their name.

/** Makes sure that what a directory holds, names that came or went, is on disk. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows does so by itself, and opens no directories.
  if (process.platform === 'win32') return
  await sync(path, 'r')
}

/** Makes a directory, and those that it is in, so that they are on disk when this resolves. */
export async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made))
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

/** Writes a file that is on disk when this resolves; nothing of it is left when it cannot be. */
export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  try {
    await writeFile(path, content, { flush: true })
    await syncDirectory(dirname(path))
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

/** Copies a file; the copy is on disk when this resolves. */
export async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  await sync(to, 'r+')
  await syncDirectory(dirname(to))
}

/**
 * Gives a whole file its name; it is on disk under that name when this resolves.
 * @param choose says the path at the last moment: of two files that come at once, the second sees the first
 * @returns the path
 */
export async function moveDurably(from: string, choose: () => string): Promise<string> {
  await sync(from, 'r+')
  const to = choose()
  renameSync(from, to)
  await syncDirectory(dirname(to))
  return to
}
