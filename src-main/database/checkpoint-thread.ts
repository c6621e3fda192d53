import SQLite from 'better-sqlite3'
import { parentPort } from 'node:worker_threads'
import { storageFaultOf } from '../base/errors.ts'
import { lowerPriority, threadData } from '../base/threads.ts'
import type { CopyEnd } from './checkpointer.ts'
import { NotedCheckpoint } from './noted-checkpoint.ts'

// Copies the write-ahead log into the database on request; see checkpointer.ts.

lowerPriority()
const databasePath = threadData() as string
const sqlite = new SQLite(databasePath)
sqlite.pragma('synchronous = NORMAL')
sqlite.pragma('wal_autocheckpoint = 0')
const checkpoint = new NotedCheckpoint(sqlite, databasePath)

parentPort?.on('message', () => {
  parentPort?.postMessage(copy())
})

function copy(): CopyEnd {
  try {
    const { log } = checkpoint.run()
    // SQLite waits for the disk only when it has copied the whole log.
    return log > 0 && checkpoint.state().log === log ? 'reached the end' : 'is behind'
  } catch (error) {
    if (storageFaultOf(error)?.kind === 'damaged') return 'met damage'
    throw error
  }
}
