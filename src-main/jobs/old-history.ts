import type { Writer } from '../database/writer.ts'
import { leavingTime } from './step-loop.ts'

/**
 * Deletes expired details of the change log in entries from before a time (UNIX milliseconds), step by step.
 */
export async function deleteOldDetails(
  writer: Writer,
  command: 'subscriberHistory.deleteDetails' | 'recordUndos.deleteStoredRows',
  time: number
): Promise<void> {
  let after = 0
  while (
    await leavingTime(async () => {
      const last = await writer.run(command, { before: time, after })
      after = last ?? after
      return last !== null
    })
  );
}
