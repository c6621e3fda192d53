import { refusal, type Refusal } from '../base/refusal.ts'
import { existsSync, renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { copyDurably, makeDirectory, syncDirectory, syncFile } from '../base/durable.ts'
import { messageOf, refusalOf, storageFaultOf, ExplainedError } from '../base/errors.ts'
import { deleteChecksums } from '../integrity/examine.ts'
import { copyDatabase, removeDatabase } from './copy-database.ts'
import { backupFolder, backupName, notePath } from './files.ts'
import { bothOutlasting, nothingOutlasts, outlastingIn } from './outlasting.ts'
import {
  removeRestoreRequest,
  removeUnwrittenRequest,
  type RestoreInPlace,
  type RestoreRequest,
  restoreRequest,
  writeRestoreRequest
} from './restore-request.ts'
import type { Verification } from './schema.ts'
import { verifyBackup } from './verify.ts'
import { databasePathIn } from '../database/database-path.ts'

export interface Restored {
  /** The path of the copy of the previous state; null if there was no previous state. */
  setAside: string | null
  found: Verification
}

/** The backup has taken the place of the data, and nothing may be done with it before the rest is done as well. */
export class RestoreUnfinished extends Error {
  constructor(cause: unknown) {
    super(
      `The backup is in place, but the restore is not finished: ${storageFaultOf(cause)?.message ?? messageOf(cause)}. Fix this, and start Listwright again.`,
      { cause }
    )
    this.name = 'RestoreUnfinished'
  }
}

/**
 * Suffixes of the log files beside a database. SQLite would apply them to any other database put in its
 * place.
 */
const logs = ['-wal', '-wal-as-found']

/**
 * Replaces the database with a backup, after copying the current database and its log aside. The caller must
 * hold the lock of the data directory. After an interruption at any point, the old or the new database is
 * complete, at the latest after the next start.
 * @throws Error with a sentence if the backup cannot be used or there is no space; then everything is as it
 * was
 */
export async function restoreBackup(dataDirectory: string, backup: string, now: number): Promise<Restored> {
  const path = resolve(backup)
  const { database, incoming } = placesIn(dataDirectory)
  const before = await finishEarlier(dataDirectory)
  let found: Verification
  let setAside: string | null
  try {
    // The backup may be on a read-only drive or gone at the next start, so only the copy is used from now on.
    await copyDatabase(path, incoming)
    found = await verifyBackup(incoming, path, notePath(path))
    if (!found.ok)
      throw new ExplainedError(refusal('cannot_be_used', { path, faults: found.faults.join('; ') }))
    await syncFile(incoming)
    setAside = existsSync(database) ? await copyAside(dataDirectory, database, now) : null
    const replaced = setAside === null ? nothingOutlasts : await outlastingIn(setAside)
    const outlasting = before ? bothOutlasting(before.outlasting, replaced) : replaced
    await writeRestoreRequest(dataDirectory, { stage: 'prepared', backup: path, outlasting, before })
  } catch (error) {
    await giveUp(dataDirectory, before)
    throw error
  }
  await putInPlace(dataDirectory)
  return { setAside, found }
}

/**
 * Carries out the restore that was asked for before the application ended, or was cut off, if any. One that fails does not fail each
 * start for ever: it is not asked for any more.
 * @returns why it was not carried out; null where it was, or none was asked for
 * @throws RestoreUnfinished where it is in place: nothing may be done with the data yet
 */
export async function carryOutRequest(dataDirectory: string): Promise<Refusal | null> {
  let stage: RestoreRequest['stage'] | undefined
  try {
    await removeUnwrittenRequest(dataDirectory)
    const request = restoreRequest(dataDirectory)
    stage = request?.stage
    if (stage === 'prepared') await putInPlace(dataDirectory)
    else await removeDatabase(placesIn(dataDirectory).incoming)
    if (request?.stage === 'asked') await restoreBackup(dataDirectory, request.backup, Date.now())
    return null
  } catch (error) {
    if (error instanceof RestoreUnfinished) throw error
    if (stage !== 'prepared') await removeRestoreRequest(dataDirectory)
    return refusal('restore_failed', { fault: refusalOf(error) })
  }
}

function placesIn(dataDirectory: string): { database: string; incoming: string } {
  return {
    database: databasePathIn(dataDirectory),
    incoming: join(dataDirectory, '.listwright.db.restored')
  }
}

/**
 * Finishes an interrupted restore before another one begins.
 * @returns the restore that is in place but was not opened yet; null = none
 */
async function finishEarlier(dataDirectory: string): Promise<RestoreInPlace | null> {
  if (restoreRequest(dataDirectory)?.stage === 'prepared') await putInPlace(dataDirectory)
  const request = restoreRequest(dataDirectory)
  return request?.stage === 'in_place' ? request : null
}

/**
 * Withdraws the request for a restore; in this order, since the copy is needed as long as it is requested.
 * @param before the restore that was in place and not opened
 */
async function giveUp(dataDirectory: string, before: RestoreInPlace | null): Promise<void> {
  await (before ? writeRestoreRequest(dataDirectory, before) : removeRestoreRequest(dataDirectory))
  await removeDatabase(placesIn(dataDirectory).incoming)
}

/**
 * Replaces the database by the prepared copy. Can be repeated from any point of interruption.
 * @throws Error if it fails; then everything is unchanged and the request withdrawn
 * @throws RestoreUnfinished if the copy is in place
 */
async function putInPlace(dataDirectory: string): Promise<void> {
  const { database, incoming } = placesIn(dataDirectory)
  const request = restoreRequest(dataDirectory)
  if (request?.stage !== 'prepared') throw new Error('No restore was prepared.')
  // If the file is missing, an interrupted start has put it in place already: nothing else removes it.
  if (existsSync(incoming)) {
    try {
      for (const log of logs) moveIfThere(database + log, `${database}${log}.replaced`)
      await syncDirectory(dataDirectory)
      renameSync(incoming, database)
    } catch (error) {
      for (const log of logs) moveIfThere(`${database}${log}.replaced`, database + log)
      await giveUp(dataDirectory, request.before)
      throw error
    }
  }
  try {
    await syncDirectory(dataDirectory)
    deleteChecksums(database)
    for (const log of logs) await rm(`${database}${log}.replaced`, { force: true })
    await rm(`${database}-shm`, { force: true })
    const { backup, outlasting } = request
    await writeRestoreRequest(dataDirectory, { stage: 'in_place', backup, outlasting })
  } catch (error) {
    throw new RestoreUnfinished(error)
  }
}

function moveIfThere(from: string, to: string): void {
  if (existsSync(from)) renameSync(from, to)
}

/**
 * Copies the database and its log files, if any, to the backup folder unchanged.
 * @returns the path of the copied database
 */
async function copyAside(dataDirectory: string, database: string, now: number): Promise<string> {
  const directory = join(dataDirectory, backupFolder)
  await makeDirectory(directory)
  const aside = join(directory, backupName('before_restore', now))
  // The database comes last: once it has its name, its log has its name as well.
  const parts = [...logs, ''].filter((part) => existsSync(database + part))
  try {
    for (const part of parts) await copyDurably(database + part, aside + part)
  } catch (error) {
    for (const part of parts) await rm(aside + part, { force: true })
    throw error
  }
  return aside
}
