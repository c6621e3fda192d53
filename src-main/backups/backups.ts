import type { Kysely } from 'kysely'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { AskedThread } from '../base/asked-thread.ts'
import { partialPath } from '../base/durable.ts'
import { messageOf, notFound, refusalOf, validationFailed } from '../base/errors.ts'
import { refusal, type Refusal } from '../base/refusal.ts'
import { startThread } from '../base/threads.ts'
import type { Schema } from '../database/schema.ts'
import type { Integrity } from '../integrity/integrity.ts'
import { type OpenDatabase, openForGood } from '../integrity/verify-pages.ts'
import type { LossCounts } from '../salvage/losses.ts'
import { currentSettings } from '../settings/queries.ts'
import type { BackupSchedule } from '../settings/schema.ts'
import type { Copies } from './copies.ts'
import {
  archivePath,
  backupFolder,
  encryptedPath,
  type BackupFile,
  backupName,
  backupsIn,
  lastMade,
  removeBackup,
  removeLeftParts
} from './files.ts'
import { removeRestoreRequest, restoreRequest, writeRestoreRequest } from './restore-request.ts'
import type { FinishedRestore } from './finish-restore.ts'
import { outlived } from './rotation.ts'
import type { BackupKind, Verification } from './schema.ts'
import { databasePathIn } from '../database/database-path.ts'

declare module '../http/context.ts' {
  interface ApplicationContext {
    backups: Backups
  }
}

export type BackupQuestion = { path: string } & (
  | { ask: 'write'; databasePath: string }
  | { ask: 'verify' }
  | ({ ask: 'recover' } & OpenDatabase)
  | { ask: 'import'; file: string; passphrase: string | null }
  | { ask: 'export'; archive: string }
  | { ask: 'encrypt'; encrypted: string; passphrase: string; cost: number | undefined }
)
export type BackupAnswer =
  { found: Verification; losses?: LossCounts } | { isWritten: true } | { refused: Refusal }
type BackupFindings = Extract<BackupAnswer, { found: Verification }>

/** Milliseconds between two looks whether one is due. */
const lookInterval = 10 * 60 * 1000
/** Milliseconds from the start to the first look: a computer may be used for minutes a day. */
const firstLook = 2 * 60 * 1000

const intervals: Record<Exclude<BackupSchedule, 'off'>, number> = {
  hourly: 60 * 60 * 1000,
  daily: 24 * 60 * 60 * 1000,
  weekly: 7 * 24 * 60 * 60 * 1000
}

/** The backups of a data directory, made automatically or on request, in a thread of their own. */
export class Backups {
  readonly directory: string
  readonly #reader: Kysely<Schema>
  readonly #databasePath: string
  readonly #thread = new AskedThread<BackupQuestion, BackupAnswer>(() =>
    startThread(import.meta.url, 'backup-thread', { name: 'backup' })
  )
  readonly #dataDirectory: string
  readonly #integrity: Pick<Integrity, 'state'>
  readonly #passphraseCost: number | undefined
  readonly copies: Copies
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  isWriting = false
  #exporting: string | null = null
  /**
   * The end of the change log at the last automatic backup: without a change there is no need for another.
   */
  #changeLogId = -1
  /** Why the last due backup was not made or a requested restore not done; null = no fault. */
  fault: Refusal | null = null
  /** The restore that this start completed, or null. */
  restored: FinishedRestore | null = null
  /** Why the place of the data is unsafe. */
  warnings: readonly Refusal[] = []

  constructor(
    reader: Kysely<Schema>,
    dataDirectory: string,
    integrity: Pick<Integrity, 'state'>,
    copies: Copies,
    passphraseCost?: number
  ) {
    this.copies = copies
    this.#passphraseCost = passphraseCost
    this.#integrity = integrity
    this.#dataDirectory = dataDirectory
    this.#reader = reader
    this.#databasePath = databasePathIn(dataDirectory)
    this.directory = join(dataDirectory, backupFolder)
  }

  list(): BackupFile[] {
    return backupsIn(this.directory)
  }

  /** @throws ApiError not_found */
  named(name: string): BackupFile {
    const found = this.list().find((backup) => backup.name === name)
    if (!found) throw notFound('backup', name)
    return found
  }

  /**
   * Makes a backup, and deletes expired ones.
   * @param now UNIX milliseconds, used for its name
   * @throws ApiError validation_failed with a sentence if it cannot be made, or another is being made
   */
  async create(kind: 'manual' | 'scheduled' | 'before_change', now = Date.now()): Promise<BackupFile> {
    const { backup } = await this.#make(kind, now, (path) => ({
      ask: 'write',
      databasePath: this.#databasePath,
      path
    }))
    const requested = this.requested()
    for (const each of outlived(this.list(), now)) if (each.path !== requested) await removeBackup(each)
    return backup
  }

  /**
   * Makes a backup of what is readable in damaged data, which stays unchanged.
   * @returns it, with the number of records that were lost or changed
   * @throws ApiError validation_failed with a sentence if the data is not damaged, or the backup cannot be
   * made
   */
  async recover(): Promise<{ backup: BackupFile; losses: LossCounts }> {
    if (this.#integrity.state !== 'damaged') throw validationFailed(refusal('nothing_to_recover'))
    const databasePath = this.#databasePath
    const { backup, losses } = await this.#make('recovered', Date.now(), (path) => ({
      ask: 'recover',
      databasePath,
      file: openForGood(databasePath),
      path
    }))
    if (!losses) throw new Error('what was recovered was not counted')
    return { backup, losses }
  }

  /**
   * Makes a backup from a file: an archive, or a backup of another folder or computer.
   * @param passphrase of an encrypted file
   * @throws ApiError validation_failed with a sentence if it is neither, was changed, or there is no space
   */
  async import(file: string, passphrase: string | null): Promise<BackupFile> {
    const { backup } = await this.#make('imported', Date.now(), (path) => ({
      ask: 'import',
      file,
      passphrase,
      path
    }))
    return backup
  }

  /**
   * Writes everything that a backup holds into an archive beside it, as CSV and JSON; one that is there already stays.
   * @returns the path of the archive
   * @throws ApiError not_found; validation_failed with a sentence where it cannot be written, or a backup is being made
   */
  async export(name: string): Promise<string> {
    const { path } = this.named(name)
    const archive = archivePath(path)
    if (existsSync(archive)) return archive
    await this.#whileExporting(name, { ask: 'export', path, archive })
    return archive
  }

  /**
   * Encrypts a backup with a passphrase, into a file beside it that takes the place of an earlier one.
   * @returns the path of the file
   * @throws ApiError not_found; validation_failed with a sentence where it cannot be written, or a backup is being made
   */
  async encrypt(name: string, passphrase: string): Promise<string> {
    const { path } = this.named(name)
    const encrypted = encryptedPath(path)
    await this.#encrypt(path, encrypted, passphrase)
    return encrypted
  }

  #encrypt(path: string, encrypted: string, passphrase: string): Promise<void> {
    const cost = this.#passphraseCost
    return this.#whileExporting(basename(path), { ask: 'encrypt', path, encrypted, passphrase, cost })
  }

  async #whileExporting(name: string, question: BackupQuestion): Promise<void> {
    await this.#whileWriting(async () => {
      this.#exporting = name
      try {
        const answer = await this.#thread.ask(question)
        if ('refused' in answer) throw validationFailed(answer.refused)
      } finally {
        this.#exporting = null
      }
    })
  }

  async #make(
    kind: Exclude<BackupKind, 'before_update' | 'before_restore'>,
    now: number,
    question: (path: string) => BackupQuestion
  ): Promise<{ backup: BackupFile; losses: LossCounts | undefined }> {
    const name = backupName(kind, now)
    const { losses } = await this.#whileWriting(() => this.#ask(question(join(this.directory, name))))
    return { backup: this.named(name), losses }
  }

  /** @throws ApiError validation_failed while a backup is made, exported or imported */
  refuseWhileWriting(): void {
    if (this.isWriting) throw validationFailed(refusal('backup_in_progress'))
  }

  async #whileWriting<Result>(work: () => Promise<Result>): Promise<Result> {
    this.refuseWhileWriting()
    this.isWriting = true
    try {
      return await work()
    } finally {
      this.isWriting = false
    }
  }

  /** @throws ApiError not_found; validation_failed while it is being exported or will be restored */
  async remove(name: string): Promise<void> {
    if (name === this.#exporting) throw validationFailed(refusal('backup_being_exported'))
    const backup = this.named(name)
    if (backup.path === this.requested()) throw validationFailed(refusal('backup_to_be_restored'))
    await removeBackup(backup)
  }

  /**
   * Requests that a backup replaces the data at the next start; until then the data is in use.
   * @throws ApiError not_found, or validation_failed if it cannot be used
   */
  async requestRestore(name: string): Promise<void> {
    const { path } = this.named(name)
    const { ok, faults } = await this.verify(path)
    if (!ok) throw validationFailed(refusal('backup_unusable', { name, faults: faults.join('; ') }))
    await writeRestoreRequest(this.#dataDirectory, { stage: 'asked', backup: path })
  }

  /** The path of the backup that the next start puts in place; null for none. */
  requested(): string | null {
    const request = restoreRequest(this.#dataDirectory)
    return request?.stage === 'asked' ? request.backup : null
  }

  forgetRequest(): Promise<void> {
    return removeRestoreRequest(this.#dataDirectory)
  }

  /** @throws ApiError validation_failed with a sentence where it is no backup at all */
  async verify(path: string): Promise<Verification> {
    const { found } = await this.#ask({ ask: 'verify', path })
    return found
  }

  start(): void {
    this.#timer = setTimeout(() => void this.#look(), firstLook)
    this.#timer.unref()
  }

  async #look(): Promise<void> {
    const now = Date.now()
    if (!this.#isUntimely()) {
      await this.#makeScheduled(now)
      // Not awaited: a drive that does not answer must not delay backups.
      void this.copyWhatIsDue(now)
    }
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void this.#look(), lookInterval)
    this.#timer.unref()
  }

  /**
   * Makes a backup if the last one is old enough and something changed since, and deletes expired ones. What
   * fails is tried again at the next check.
   */
  async makeWhatIsDue(now: number): Promise<void> {
    if (this.#isUntimely()) return
    await this.#makeScheduled(now)
    await this.copyWhatIsDue(now)
  }

  /** True if the data is damaged: a new backup would replace a good one. */
  #isUntimely(): boolean {
    return this.#integrity.state === 'damaged' || this.isWriting
  }

  async copyWhatIsDue(now: number): Promise<void> {
    if (this.isWriting) return
    await this.copies.makeWhatIsDue(
      () => this.list(),
      async ({ path }, passphrase) => {
        const encrypted = partialPath(`${path}.copy`)
        await this.#encrypt(path, encrypted, passphrase)
        return encrypted
      },
      now
    )
  }

  async #makeScheduled(now: number): Promise<void> {
    try {
      await removeLeftParts(this.directory, now)
      const { service_backups: schedule } = await currentSettings(this.#reader)
      if (schedule === 'off' || !this.#isDue(intervals[schedule], now)) return
      const changeLogId = await this.#endOfChangeLog()
      if (changeLogId === 0 || changeLogId === this.#changeLogId) return
      await this.create('scheduled', now)
      this.#changeLogId = changeLogId
      this.fault = null
    } catch (error) {
      this.fault = refusalOf(error)
      process.stderr.write(`A backup that was due was not made: ${messageOf(error)}\n`)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#thread.close()
  }

  #isDue(interval: number, now: number): boolean {
    const scheduled = this.list().filter(({ kind }) => kind === 'scheduled')
    const last = lastMade(scheduled, now)
    // After the clock was set back, all backups lie in the future; the next one is then due at once.
    const age = last ? now - last.createdAt : Infinity
    return age < 0 || age >= interval
  }

  async #endOfChangeLog(): Promise<number> {
    const { last } = await this.#reader
      .selectFrom('change_log')
      .select((select) => select.fn.max<number | null>('id').as('last'))
      .executeTakeFirstOrThrow()
    return last ?? 0
  }

  async #ask(question: BackupQuestion): Promise<BackupFindings> {
    const answer = await this.#thread.ask(question)
    if ('refused' in answer) throw validationFailed(answer.refused)
    if ('isWritten' in answer) throw new Error('an export was answered where none was asked for')
    return answer
  }
}
