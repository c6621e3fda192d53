import SQLite from 'better-sqlite3'
import { parentPort } from 'node:worker_threads'
import { giveWay, threadData } from '../base/threads.ts'
import { checkpoint } from './checkpointer.ts'

// Copies the write-ahead log into the database whenever it is told to; see checkpointer.ts.

giveWay()
const sqlite = new SQLite(threadData() as string)
sqlite.pragma('synchronous = NORMAL')

parentPort?.on('message', () => {
  const { log } = checkpoint(sqlite, 'PASSIVE')
  // Only at the end of the log does SQLite wait for the disk to have the copy.
  const reachedEnd = log > 0 && checkpoint(sqlite, 'NOOP').log === log
  parentPort?.postMessage(reachedEnd)
})
