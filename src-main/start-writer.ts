import type { Worker } from 'node:worker_threads'
import { startThread } from './base/threads.ts'
import { Writer, type WriterOptions } from './database/writer.ts'

/** Starts the thread that writes: it loads its code, and opens a database when it is told which. */
export function startWriterThread(): Worker {
  return startThread(import.meta.url, 'writer-thread', { name: 'writer' })
}

/** Starts the thread that writes, and waits until the database is open and migrated. */
export async function startWriter(options: WriterOptions): Promise<Writer> {
  const writer = new Writer(startWriterThread(), options)
  await writer.ready
  return writer
}
