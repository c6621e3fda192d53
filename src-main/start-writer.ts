import { startThread } from './base/threads.ts'
import { Writer, type WriterOptions } from './database/writer.ts'

/** Starts the thread that writes: it loads its code, and opens a database when it is told which. */
export function startWriterThread(): Writer {
  return new Writer(startThread(import.meta.url, 'writer-thread', { name: 'writer' }))
}

/** Starts the thread that writes, and waits until the database is open and migrated. */
export async function startWriter(options: WriterOptions): Promise<Writer> {
  const writer = startWriterThread()
  await writer.open(options)
  return writer
}
