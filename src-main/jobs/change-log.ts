import type { Writer } from '../database/writer.ts'
import { leavingTime } from './step-loop.ts'

/** Deletes entries of the change log from before a time (UNIX milliseconds), step by step. */
export async function trimChangeLog(writer: Writer, time: number): Promise<void> {
  while (await leavingTime(() => writer.run('changeLog.trim', { before: time })));
}
