import { basename } from 'node:path'
import { messageOf, storageFaultOf } from '../base/errors.ts'
import type { Writer } from '../database/writer.ts'
import { removeRestoreRequest, restoreRequest } from './restore-request.ts'

/** A restore that is done. */
export interface FinishedRestore {
  /** Of the backup. */
  name: string
  /** Campaigns that would have gone out by themselves, and wait for somebody to say so now. */
  pausedCampaigns: number
}

/**
 * Makes data that was restored since the last start fit to go on from, before anything goes on. What cannot be written to is left to a
 * later start: nothing goes on there either.
 * @returns null where nothing was restored
 */
export async function finishRestore(dataDirectory: string, writer: Writer): Promise<FinishedRestore | null> {
  const request = restoreRequest(dataDirectory)
  if (request?.stage !== 'in_place') return null
  const name = basename(request.backup)
  try {
    const { outlasting } = request
    const pausedCampaigns = await writer.run('backups.goOnAfterRestore', { name, outlasting })
    await removeRestoreRequest(dataDirectory)
    return { name, pausedCampaigns }
  } catch (error) {
    if (storageFaultOf(error)?.kind !== 'damaged') throw error
    process.stderr.write(`${messageOf(error)}\n`)
    return null
  }
}
