import { parentPort } from 'node:worker_threads'
import { releaseUnusedMemory } from './base/memory.ts'
import { commands } from './commands.ts'
import { CommandLoop } from './database/command-loop.ts'
import type { WriterOptions } from './database/writer.ts'

// The thread of all writes. Only this thread knows all commands.

const home = parentPort
if (!home) throw new Error('writer-thread runs as a worker thread')
home.once('message', (options: WriterOptions) => new CommandLoop(commands, options, home))
// Later, so as not to delay the start: it takes some 30 ms and saves 6 MB.
setTimeout(releaseUnusedMemory, 2000).unref()
