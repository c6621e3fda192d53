import { workerData } from 'node:worker_threads'
import type { ThreadStart } from './threads.ts'

// Loads the module that a thread is for, and tells when that is done; see threads.ts.

const { entry, loaded } = workerData as ThreadStart
await import(entry)
loaded.postMessage('loaded')
