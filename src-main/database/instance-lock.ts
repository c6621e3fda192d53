import SQLite from 'better-sqlite3'
import { createServer, type Server } from 'node:net'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'

/** Held while an application uses a data directory. */
export interface InstanceLock {
  release(): void
}

/**
 * Takes the data directory for this process. The operating system frees both locks when the process ends in any way, which
 * a file with a process id in it cannot promise. The lock of a file holds across machines and containers that share the
 * directory; the name holds also after somebody removed that file.
 * @throws Error with a sentence for the user when another process has it.
 */
export async function takeInstanceLock(dataDirectory: string): Promise<InstanceLock> {
  const name = await takeName(dataDirectory)
  const lock = new SQLite(join(dataDirectory, 'instance.lock'), { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    name?.close()
    if (error instanceof SQLite.SqliteError && error.code === 'SQLITE_BUSY') throw isTaken(dataDirectory)
    throw error
  }
  return {
    release: () => {
      lock.close()
      name?.close()
    }
  }
}

function isTaken(dataDirectory: string): Error {
  return new Error(
    `Another Listwright already uses the data in ${dataDirectory}. ` +
      'Close it first, or start this one with another --data-dir.'
  )
}

/** Takes a name that stands for the directory itself, where the system has names that are no files. */
async function takeName(dataDirectory: string): Promise<Server | null> {
  const { dev, ino } = statSync(dataDirectory, { bigint: true })
  const name = `listwright-${dev}-${ino}`
  const path = { linux: `\0${name}`, win32: `\\\\.\\pipe\\${name}` }[process.platform as string]
  if (path === undefined) return null
  const server = createServer((socket) => socket.destroy())
  server.unref().listen({ path })
  try {
    await once(server, 'listening')
    return server
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw isTaken(dataDirectory)
    throw error
  }
}
