import { parentPort } from 'node:worker_threads'
import { ApiError, internalError, refusalOf } from '../../base/errors.ts'
import { threadData } from '../../base/threads.ts'
import { kyselyOver, openForReading } from '../../database/connection.ts'
import { rehearse } from './rehearse.ts'
import type { RehearsalNews, RehearsalTask } from './rehearsals.ts'

// Rehearses one campaign, on a database connection of its own, until it is told to stop.

const { databasePath, campaignId, linkBase } = threadData() as RehearsalTask
const reader = kyselyOver(openForReading(databasePath))
const stopping = new AbortController()
parentPort?.once('message', () => stopping.abort())

function tell(news: RehearsalNews): void {
  parentPort?.postMessage(news)
}

try {
  let toldAt = 0
  const report = await rehearse(reader, campaignId, linkBase, {
    signal: stopping.signal,
    onProgress: (checked) => {
      if (performance.now() - toldAt < 200) return
      toldAt = performance.now()
      tell({ checked })
    }
  })
  tell({ report })
} catch (error) {
  tell({ fault: error instanceof ApiError ? refusalOf(error) : internalError('The rehearsal', error) })
} finally {
  await reader.destroy()
}
process.exit()
