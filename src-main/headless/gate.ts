import '../base/memory.ts'
import { parseArgs } from 'node:util'
import { releaseUnusedMemory } from '../base/memory.ts'
import { messageOf } from '../base/errors.ts'
import { type Gate, type GateOptions, startGate } from '../gate/gate.ts'
import { type Command, requireDirectory } from './command.ts'
import { languageHelp } from './language.ts'

// `listwright gate`: what links in messages lead to, on any small server.

const defaultPort = 4290
/** Gives a gate its key, so that it is in no list of processes. */
const keyVariable = 'LISTWRIGHT_GATE_KEY'
const shortestKey = 20

const usage = `Usage: listwright gate --data-dir DIR [--port N] [--host ADDRESS] [--tls-cert FILE --tls-key FILE] [--json]

Takes unsubscribes, clicks, openings and confirmations while the application is off. It knows no list and
no address of a subscriber. It needs a name of its own and TLS, by Caddy or nginx before it or by --tls-cert.

  --data-dir DIR   where its data is stored: a folder of its own
  --port N         the port (default: ${defaultPort}; 0 picks a free one)
  --host ADDRESS   the address to listen on (default: 127.0.0.1, for a server before it on the same computer)
  --tls-cert FILE  the certificate in PEM, with --tls-key FILE: the gate then does TLS itself
  --json           print one line of JSON with its address and key when it is ready
  --language LANG  ${languageHelp}

The key that it is used with is made at the first start and printed once, or taken from ${keyVariable}.
`

export const gateCommand: Command = {
  usage,
  run: async (args) => {
    const { json, ...options } = readOptions(args)
    limitMemory()
    const gate = await startGate(options)
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void end(gate))
    releaseUnusedMemory()
    const { address, key, hasNewKey } = gate
    const shownKey = hasNewKey ? `Key, for Delivery → Gates in Listwright: ${key}\n` : ''
    process.stdout.write(
      json ? `${JSON.stringify({ address, key })}\n` : `The gate is ready at ${address}\n${shownKey}`
    )
  }
}

/**
 * What keeps V8 small, which under a flood is not quicker with more: a young generation of 1 MB instead of 64, and no compiling in
 * the background. Measured under a flood: 253 MB without these and {@link smallProcess}, 100 with them.
 */
const smallHeap = ['--max-semi-space-size=1', '--optimize-for-size', '--no-concurrent-recompilation']
/** One heap for all threads of glibc, which keeps one for each otherwise, and few threads. */
const smallProcess = { MALLOC_ARENA_MAX: '1', UV_THREADPOOL_SIZE: '1' }

/** Starts the process anew with less memory, under the same id: V8 takes the limit at its start only. */
function limitMemory(): void {
  if (!process.execve || smallHeap.every((flag) => process.execArgv.includes(flag))) return
  const command = [process.execPath, ...smallHeap, ...process.execArgv, ...process.argv.slice(1)]
  process.execve(process.execPath, command, { ...process.env, ...smallProcess })
}

/** @throws Error with a sentence for the administrator */
function readOptions(args: string[]): GateOptions & { json: boolean } {
  const { values } = parseArgs({
    args,
    options: {
      'data-dir': { type: 'string' },
      port: { type: 'string', default: String(defaultPort) },
      host: { type: 'string', default: '127.0.0.1' },
      'tls-cert': { type: 'string' },
      'tls-key': { type: 'string' },
      json: { type: 'boolean', default: false }
    }
  })
  const directory = values['data-dir']
  if (directory === undefined) {
    throw new Error(
      'listwright gate needs --data-dir DIR: a folder of its own, apart from that of the application'
    )
  }
  requireDirectory(directory)
  const port = Number(values.port)
  if (!/^\d+$/.test(values.port) || port > 65_535) {
    throw new Error(`--port must be a number from 0 to 65535, not "${values.port}"`)
  }
  const { 'tls-cert': certificate, 'tls-key': key } = values
  if ((certificate === undefined) !== (key === undefined)) {
    throw new Error('--tls-cert and --tls-key belong together: give both or neither')
  }
  const given = process.env[keyVariable]
  if (given !== undefined && given.length < shortestKey) {
    throw new Error(`${keyVariable} must have at least ${shortestKey} characters`)
  }
  return {
    dataDirectory: directory,
    port,
    host: values.host,
    tls: certificate !== undefined && key !== undefined ? { certificate, key } : null,
    ...(given !== undefined && { key: given }),
    json: values.json
  }
}

async function end(gate: Gate): Promise<void> {
  try {
    await gate.close()
    process.exit(0)
  } catch (error) {
    process.stderr.write(`The gate did not shut down cleanly: ${messageOf(error)}\n`)
    process.exit(1)
  }
}
