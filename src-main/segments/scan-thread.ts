import type { MessagePort } from 'node:worker_threads'
import { messageOf } from '../base/errors.ts'
import { lowerPriority, threadData } from '../base/threads.ts'
import { openForReading } from '../database/connection.ts'
import type { ScanReply, ScanRequest } from './second-scanner.ts'
import { scanPieces } from './shared-scan.ts'

// Scans lists together with the thread of segments, where a core is idle.

export interface ScanThreadData {
  databasePath: string
  port: MessagePort
}

const { databasePath, port } = threadData() as ScanThreadData
lowerPriority()
const database = openForReading(databasePath)

port.on('message', ({ id, scan }: ScanRequest) => {
  scanPieces(database, scan).then(
    (found) => port.postMessage({ id, found } satisfies ScanReply),
    (error: unknown) => {
      process.stderr.write(`A list could not be scanned by two threads: ${messageOf(error)}\n`)
      port.postMessage({ id, found: null } satisfies ScanReply)
    }
  )
})
