import { startThread } from './base/threads.ts'
import { Writer, type WriterOptions } from './database/writer.ts'

/** Starts the thread that writes, and waits until the database is open and migrated. */
export function startWriter(options: WriterOptions): Promise<Writer> {
  const thread = startThread(import.meta.url, 'writer-thread', { data: options, name: 'writer' })
  return Writer.over(thread, options.databasePath)
}
