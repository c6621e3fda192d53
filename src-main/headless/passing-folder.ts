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
 * What a command does that takes seconds: it copies the database or exports it, encrypted where there is a passphrase, makes a backup of a
 * packed file, or verifies one.
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
 * Does such work in a folder that is removed afterwards, with whatever is unfinished, even if the command is interrupted; the process then
 * ends with status 130, as soon as SQLite's code returns. The folder is in the data directory, where what is not encrypted is already; one that a killed command left is
 * removed by the application.
 *
 * A thread does the work, because what is removed while somebody writes may come back: once a thread has ended, so has all it began.
 * @returns what the copy, the archive or the verified file holds
 * @throws Error with a sentence where it cannot be done
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
  // Not once: npm and the terminal each send one, and a second would end the process before anything is removed.
  for (const signal of interruptions) process.on(signal, interrupt)
  let folder: string | null = null
  let found: Verification | null = null
  try {
    // Not awaited: an interruption in between would leave it.
    if (needsFolder(work)) folder = mkdtempSync(join(parent, passingFolder))
    found = await thread.ask({ ...work, folder }, interruption.signal)
    return found
  } finally {
    await thread.close()
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
    if (work.ask !== 'verify') await removePartsOf(work.destination, hadNote)
    // What was finished all the same goes into the audit log.
    if (interruption.signal.aborted && found === null) process.exit(130)
    for (const signal of interruptions) process.off(signal, interrupt)
  }
}

/** A plain copy and a backup of a file come into their place directly: the data directory may be full, or read-only. */
function needsFolder({ ask, passphrase }: PassingWork): boolean {
  return ask === 'export' || ask === 'verify' || (ask === 'create' && passphrase !== null)
}

/** @param hadNote whether there was a note of a backup before, which is somebody else's */
async function removePartsOf(destination: string, hadNote: boolean): Promise<void> {
  await removeDatabase(partialPath(destination))
  for (const part of [partialPath(notePath(destination)), decryptedPath(destination)])
    await rm(part, { force: true })
  // It is written before the backup has its name.
  if (!hadNote && !existsSync(destination)) await rm(notePath(destination), { force: true })
}

/** @throws Error with a sentence where there is such a file: it may be somebody's */
export function refuseExisting(path: string): string {
  if (existsSync(path)) throw new Error(`The file ${path} already exists.`)
  return path
}
