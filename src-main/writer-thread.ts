import { parentPort } from 'node:worker_threads'
import { threadData } from './base/threads.ts'
import { releaseUnusedMemory } from './base/memory.ts'
import { commands } from './commands.ts'
import { CommandLoop } from './database/command-loop.ts'
import type { WriterOptions } from './database/writer.ts'

// The thread of all writes. Only this thread knows all commands.

if (!parentPort) throw new Error('writer-thread runs as a worker thread')
new CommandLoop(commands, threadData() as WriterOptions, parentPort)
// Later, so as not to delay the start: it takes some 30 ms and saves 6 MB.
setTimeout(releaseUnusedMemory, 2000).unref()
