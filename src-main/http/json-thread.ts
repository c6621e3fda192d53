import { parentPort } from 'node:worker_threads'
import { parseJson } from './json-body.ts'

// Gathers the pieces of one large request body and parses it once null says that it is complete; see json-body.ts.

const pieces: Uint8Array[] = []

parentPort?.on('message', (piece: Uint8Array | null) => {
  if (piece) pieces.push(piece)
  else parentPort?.postMessage(parseJson(pieces))
})
