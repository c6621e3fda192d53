import { statSync } from 'node:fs'
import { StorageFault } from '../base/errors.ts'

interface Identity {
  dev: bigint
  ino: bigint
}

/**
 * Detects that files of an open database were moved, deleted or replaced: later writes would go into files
 * without a path and be lost with the process.
 */
export class FileIdentities {
  readonly #paths: readonly [string, 'moved' | 'log_moved'][]
  readonly #known = new Map<string, Identity>()

  constructor(databasePath: string) {
    this.#paths = [
      [databasePath, 'moved'],
      [`${databasePath}-wal`, 'log_moved']
    ]
  }

  /**
   * Called before each commit.
   * @throws StorageFault moved, log_moved
   */
  require(): void {
    for (const [path, fault] of this.#paths) {
      const found = identityOf(path)
      const known = this.#known.get(path)
      // The log exists from the first commit on.
      if (!known && found) this.#known.set(path, found)
      if (known && (known.dev !== found?.dev || known.ino !== found.ino)) throw new StorageFault(fault)
    }
  }
}

function identityOf(path: string): Identity | null {
  return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
}
