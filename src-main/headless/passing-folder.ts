import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeDatabase } from '../backups/copy-database.ts'
import { backupFolder, notePath, passingFolder } from '../backups/files.ts'
import { decryptedPath } from '../backups/import-file.ts'
import type { Verification } from '../backups/schema.ts'
import { AskedThread } from '../base/asked-thread.ts'
import { makeDirectory, partialPath } from '../base/durable.ts'
import { startThread } from '../base/threads.ts'

/**
 * Slow work of a command: copying the database or exporting it, encrypted if there is a passphrase; making a
 * backup from a packed file; verifying a backup.
 */
export type PassingWork =
  | { ask: 'create' | 'export'; database: string; destination: string; passphrase: string | null }
  | { ask: 'import'; file: string; destination: string; passphrase: string | null }
  | { ask: 'verify'; file: string; passphrase: string | null }

/** The same, with the folder that files may lie in meanwhile; null where none do. */
export type PassingQuestion = PassingWork & { folder: string | null }

/** The last one comes where a terminal or a connection is closed. */
const interruptions = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs such work in a temporary folder, which is deleted with anything unfinished even if the command is
 * interrupted; the process then ends with status 130 once SQLite returns. The folder is in the data
 * directory, which contains unencrypted data anyway; the application deletes one that a killed command left.
 * A thread does the work: files that are deleted while something writes may come back, but a thread's work
 * has ended with it.
 * @returns the contents of the copy, archive or verified file
 * @throws Error with a sentence if it fails
 */
export async function inPassingFolder(dataDirectory: string, work: PassingWork): Promise<Verification> {
  const parent = existsSync(dataDirectory) ? join(dataDirectory, backupFolder) : tmpdir()
  if (needsFolder(work)) await makeDirectory(parent)
  const hadNote = work.ask !== 'verify' && existsSync(notePath(work.destination))
  const thread = new AskedThread<PassingQuestion, Verification>(() =>
    startThread(import.meta.url, 'passing-thread', { name: 'backup' })
  )
  const interruption = new AbortController()
  const interrupt = (): void => {
    interruption.abort()
    void thread.close()
  }
  // Not `once`: npm and the terminal each send a signal, and the second one would end the process before its
  // files are removed.
  for (const signal of interruptions) process.on(signal, interrupt)
  let folder: string | null = null
  let found: Verification | null = null
  try {
    // Synchronous: an interruption during an await would leave the folder behind.
    if (needsFolder(work)) folder = mkdtempSync(join(parent, passingFolder))
    found = await thread.ask({ ...work, folder }, interruption.signal)
    return found
  } finally {
    await thread.close()
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
    if (work.ask !== 'verify') await removePartsOf(work.destination, hadNote)
    // The handlers stay: completed work is still to be recorded in the audit log, and the second of two signals would
    // end the process before that.
    if (interruption.signal.aborted && found === null) process.exit(130)
  }
}

/** A plain copy and a backup of a file come into their place directly: the data directory may be full, or read-only. */
function needsFolder({ ask, passphrase }: PassingWork): boolean {
  return ask === 'export' || ask === 'verify' || (ask === 'create' && passphrase !== null)
}

/** @param hadNote true if a note of another backup existed before */
async function removePartsOf(destination: string, hadNote: boolean): Promise<void> {
  await removeDatabase(partialPath(destination))
  for (const part of [partialPath(notePath(destination)), decryptedPath(destination)])
    await rm(part, { force: true })
  // The note is written before the backup gets its name.
  if (!hadNote && !existsSync(destination)) await rm(notePath(destination), { force: true })
}

/** @throws Error with a sentence if the file exists */
export function refuseExisting(path: string): string {
  if (existsSync(path)) throw new Error(`The file ${path} already exists.`)
  return path
}
