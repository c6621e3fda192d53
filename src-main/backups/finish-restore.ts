import { basename } from 'node:path'
import { messageOf, storageFaultOf } from '../base/errors.ts'
import type { Writer } from '../database/writer.ts'
import { removeRestoreRequest, restoreRequest } from './restore-request.ts'

/** A restore that is done. */
export interface FinishedRestore {
  name: string
  /** Campaigns that would have been sent and now wait for the user. */
  pausedCampaigns: number
}

/**
 * Prepares data that was restored since the last start, before any job continues. Read-only data is left to a
 * later start, as no job continues there either.
 * @returns null if nothing was restored
 */
export async function finishRestore(dataDirectory: string, writer: Writer): Promise<FinishedRestore | null> {
  const request = restoreRequest(dataDirectory)
  if (request?.stage !== 'in_place') return null
  const name = basename(request.backup)
  try {
    const { outlasting } = request
    const pausedCampaigns = await writer.run('backups.prepareRestoredData', { name, outlasting })
    await removeRestoreRequest(dataDirectory)
    return { name, pausedCampaigns }
  } catch (error) {
    if (storageFaultOf(error)?.kind !== 'damaged') throw error
    process.stderr.write(`${messageOf(error)}\n`)
    return null
  }
}
