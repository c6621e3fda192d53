import SQLite from 'better-sqlite3'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { copyDurably, makeDirectory, moveDurably, syncDirectory, writeDurably } from '../base/durable.ts'
import { messageOf } from '../base/errors.ts'
import { forgetNotes } from '../integrity/examine.ts'
import { backupFolder, backupName } from './files.ts'
import type { Verification } from './schema.ts'
import { verifyBackup } from './verify.ts'

/** What became of a restore. */
export interface Restored {
  /** The path of the copy of the previous state; null if there was no previous state. */
  setAside: string | null
  found: Verification
}

/**
 * Puts a backup in the place of the database. The present state is put aside first, whole or damaged, with its log. To be called while no application has the data directory. Wherever it is cut off, either state is in place.
 * @throws Error with a sentence where the backup cannot be used; then nothing was changed
 */
export async function restoreBackup(dataDirectory: string, backup: string, now: number): Promise<Restored> {
  const path = resolve(backup)
  const found = await verifyBackup(path)
  if (!found.ok) throw new Error(`${path} cannot be used: ${found.faults.join('; ')}`)
  const database = join(dataDirectory, 'listwright.db')
  const incoming = join(dataDirectory, '.listwright.db.restored')
  try {
    await copyWithLog(path, incoming)
    const setAside = existsSync(database) ? await copyAside(dataDirectory, database, now) : null
    // From here on nothing is left as it was: where it is cut off, the next start does it again from the beginning.
    await writeRestoreRequest(dataDirectory, path)
    // Beside another database it would be read into it.
    for (const part of ['-wal', '-wal-as-found', '-shm']) await rm(database + part, { force: true })
    await syncDirectory(dataDirectory)
    await moveDurably(incoming, () => database)
    forgetNotes(database)
    await removeRestoreRequest(dataDirectory)
    return { setAside, found }
  } finally {
    for (const part of ['', '-wal', '-shm']) await rm(incoming + part, { force: true })
  }
}

/** Copies a backup; one that was put aside as it was has a log beside it, which is taken in. */
async function copyWithLog(path: string, copy: string): Promise<void> {
  await copyFile(path, copy)
  if (!existsSync(`${path}-wal`)) return
  await copyFile(`${path}-wal`, `${copy}-wal`)
  new SQLite(copy).exec('PRAGMA wal_checkpoint(TRUNCATE)').close()
}

/** @returns where the database is as it was, byte for byte, with its log beside it where it has one */
async function copyAside(dataDirectory: string, database: string, now: number): Promise<string> {
  const directory = join(dataDirectory, backupFolder)
  await makeDirectory(directory)
  const aside = join(directory, backupName('before_restore', now))
  for (const part of ['', '-wal', '-wal-as-found'])
    if (existsSync(database + part)) await copyDurably(database + part, aside + part)
  return aside
}

/** What the next start is to put in place. */
function requestPath(dataDirectory: string): string {
  return join(dataDirectory, 'restore.json')
}

export async function writeRestoreRequest(dataDirectory: string, backup: string): Promise<void> {
  await writeDurably(requestPath(dataDirectory), JSON.stringify({ backup }))
}

/** @returns the backup that was asked for; null for none */
export function restoreRequest(dataDirectory: string): string | null {
  if (!existsSync(requestPath(dataDirectory))) return null
  return (JSON.parse(readFileSync(requestPath(dataDirectory), 'utf8')) as { backup: string }).backup
}

export async function removeRestoreRequest(dataDirectory: string): Promise<void> {
  await rm(requestPath(dataDirectory), { force: true })
}

/**
 * Carries out the restore that was asked for before the application ended, if any. The request is gone afterwards, whatever came of
 * it: a start that fails does not fail for ever.
 * @returns why it was not carried out, as a sentence; null where it was, or none was asked for
 */
export async function carryOutRequest(dataDirectory: string): Promise<string | null> {
  try {
    const backup = restoreRequest(dataDirectory)
    if (backup !== null) await restoreBackup(dataDirectory, backup, Date.now())
    return null
  } catch (error) {
    return `The backup was not put in place: ${messageOf(error)}`
  } finally {
    await removeRestoreRequest(dataDirectory)
  }
}
