import type { Writer } from '../database/writer.ts'
import { leavingTime } from './step-loop.ts'

/** Removes what the change log keeps of subscribers who are gone, in entries from before a time (UNIX milliseconds), bit by bit. */
export async function forgetHistoryOfTheGone(writer: Writer, time: number): Promise<void> {
  let after = 0
  while (
    await leavingTime(async () => {
      const last = await writer.run('subscriberHistory.forgetDetails', { before: time, after })
      after = last ?? after
      return last !== null
    })
  );
}
