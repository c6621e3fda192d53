import { parentPort, workerData } from 'node:worker_threads'
import { type ContentPreviewTask, writePreview } from './content-preview.ts'

// A large content takes longer than the API's thread may be held up.

parentPort?.postMessage(writePreview(workerData as ContentPreviewTask))
