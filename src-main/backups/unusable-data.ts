import { join } from 'node:path'
import { type BackupFile, backupFolder, backupsIn } from './files.ts'

/** Data that nothing can be started with, and the ways back. Its message names those of the command line; a shell offers its own. */
export class DataUnusable extends Error {
  /** What is the matter, in sentences. */
  readonly problem: string
  /** The backup to go back to; undefined if there is none. */
  readonly backup: BackupFile | undefined
  /** Whether there is something that can be recovered. */
  readonly canRecover: boolean

  /** @param remedies in sentences */
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

/** By its name: an application that was built has a class of its own, beside that of the sources. */
export function isDataUnusable(error: unknown): error is DataUnusable {
  return error instanceof Error && error.name === 'DataUnusable'
}

/** The newest backup that somebody would go back to: what a restore put aside was given up for some reason. */
export function lastGoodBackup(dataDirectory: string): BackupFile | undefined {
  return backupsIn(join(dataDirectory, backupFolder)).find(({ kind }) => kind !== 'before_restore')
}
