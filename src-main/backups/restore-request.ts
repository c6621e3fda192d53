import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { partialPath, removeDurably, writeDurably } from '../base/durable.ts'
import type { Outlasting } from './outlasting.ts'

/** The stage of a restore, in a file of the data directory; the next start completes an interrupted one. */
export type RestoreRequest =
  /** Requested; nothing was done yet. */
  | { stage: 'asked'; backup: string }
  /** A verified copy of the backup lies beside the database, and only has to take its place. */
  | { stage: 'prepared'; backup: string; outlasting: Outlasting; before: RestoreInPlace | null }
  | RestoreInPlace

/** The restored database is in place and was not opened yet. */
export interface RestoreInPlace {
  stage: 'in_place'
  backup: string
  outlasting: Outlasting
}

function requestPath(dataDirectory: string): string {
  return join(dataDirectory, 'restore.json')
}

export async function writeRestoreRequest(dataDirectory: string, request: RestoreRequest): Promise<void> {
  await writeDurably(requestPath(dataDirectory), JSON.stringify(request))
}

/** @returns null where no restore was asked for, or the last one is done */
export function restoreRequest(dataDirectory: string): RestoreRequest | null {
  const path = requestPath(dataDirectory)
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as RestoreRequest) : null
}

/** Deletes an incomplete request of a killed process. */
export async function removeUnwrittenRequest(dataDirectory: string): Promise<void> {
  await rm(partialPath(requestPath(dataDirectory)), { force: true })
}

export async function removeRestoreRequest(dataDirectory: string): Promise<void> {
  await removeDurably(requestPath(dataDirectory))
}
