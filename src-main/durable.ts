import { open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

// What was answered with success outlasts a loss of power: the bytes are on disk, and the directory knows their name.

/** Makes sure that what a directory holds, names that came or went, is on disk. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows does so by itself, and opens no directories.
  if (process.platform === 'win32') return
  await syncFile(path)
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes a file that is on disk when this resolves; nothing of it is left when it cannot be. */
export async function writeDurably(path: string, content: string): Promise<void> {
  try {
    await writeFile(path, content, { flush: true })
    await syncDirectory(dirname(path))
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

/** Gives a whole file its name; it is on disk under that name when this resolves. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await syncFile(from)
  await rename(from, to)
  await syncDirectory(dirname(to))
}
