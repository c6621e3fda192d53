import { startThread } from './base/threads.ts'
import { Writer, type WriterOptions } from './database/writer.ts'

/** Starts the writer thread, which loads its code. {@link Writer.open} names the database. */
export function startWriterThread(): Writer {
  return new Writer(startThread(import.meta.url, 'writer-thread', { name: 'writer' }))
}

/** Starts the thread that writes, and waits until the database is open and migrated. */
export async function startWriter(options: WriterOptions): Promise<Writer> {
  const writer = startWriterThread()
  await writer.open(options)
  return writer
}
