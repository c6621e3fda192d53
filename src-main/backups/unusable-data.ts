import { join } from 'node:path'
import { type BackupFile, backupFolder, backupsIn } from './files.ts'

/** Data that nothing can be started with, and the ways back. Its message names those of the command line; a shell offers its own. */
export class DataUnusable extends Error {
  /** In sentences. */
  readonly problem: string
  /** The backup to go back to; undefined if there is none. */
  readonly backup: BackupFile | undefined
  /** True if there is something to recover. */
  readonly canRecover: boolean

  constructor(
    problem: string,
    remedies: readonly string[],
    { backup, canRecover }: { backup: BackupFile | undefined; canRecover: boolean }
  ) {
    super([problem, ...remedies].join(' '))
    this.name = 'DataUnusable'
    this.problem = problem
    this.backup = backup
    this.canRecover = canRecover
  }
}

/** Compares the name, not the class: the build and the sources each have their own DataUnusable class, so instanceof may fail. */
export function isDataUnusable(error: unknown): error is DataUnusable {
  return error instanceof Error && error.name === 'DataUnusable'
}

/** Returns the newest backup worth restoring. What a restore replaced was given up for some reason. */
export function lastGoodBackup(dataDirectory: string): BackupFile | undefined {
  return backupsIn(join(dataDirectory, backupFolder)).find(({ kind }) => kind !== 'before_restore')
}
