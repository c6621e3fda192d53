import type { Writer } from '../database/writer.ts'
import { leavingTime } from './step-loop.ts'

/** Removes what the change log has from before a time (UNIX milliseconds), bit by bit. */
export async function trimChangeLog(writer: Writer, time: number): Promise<void> {
  while (await leavingTime(() => writer.run('changeLog.trim', { before: time })));
}
