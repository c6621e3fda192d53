import type { Kysely } from 'kysely'
import { createHash } from 'node:crypto'
import { constants, existsSync, statSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { hostname } from 'node:os'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { CredentialPlace } from '../base/credential-places.ts'
import type { Credentials } from '../base/credentials.ts'
import { makeDirectory } from '../base/durable.ts'
import { messageOf, validationFailed } from '../base/errors.ts'
import type { Schema } from '../database/schema.ts'
import { requirePassphrase } from './encryption.ts'
import {
  type BackupFile,
  backupsIn,
  encryptedPath,
  encryptedSuffix,
  removeBackup,
  removeLeftParts
} from './files.ts'
import { copiesSetting } from './queries.ts'
import { outlived } from './rotation.ts'

/** Where encrypted copies go, and where their passphrase is kept. */
export interface CopiesSetting {
  /** Absolute: a drive, or a folder that a cloud client syncs. */
  folder: string
  passphrase_place: CredentialPlace
}

/**
 * Encrypted copies of the backups that are made by themselves, in a folder somewhere else: they outlast this computer, and who finds
 * them can read nothing.
 */
export class Copies {
  readonly #reader: Kysely<Schema>
  readonly #credentials: Credentials
  readonly #dataDirectory: string
  /** Why the last one that was due was not made; null where it was. */
  #fault: string | null = null

  constructor(reader: Kysely<Schema>, credentials: Credentials, dataDirectory: string) {
    this.#reader = reader
    this.#credentials = credentials
    this.#dataDirectory = dataDirectory
  }

  /** Where they go, when the last was made (UNIX milliseconds), and what keeps the next from being made; null where none are made. */
  async state(): Promise<{ folder: string; lastAt: number | null; fault: string | null } | null> {
    const setting = await copiesSetting(this.#reader)
    if (!setting) return null
    const [last] = backupsIn(this.#placeIn(setting.folder), encryptedSuffix)
    return { folder: setting.folder, lastAt: last?.createdAt ?? null, fault: this.#fault }
  }

  /**
   * Keeps the passphrase of copies that are to go to a folder.
   * @throws ApiError validation_failed with a sentence where the folder cannot be used, or the passphrase is too short
   */
  async prepare(folder: string, passphrase: string): Promise<CopiesSetting> {
    await this.#requireFolder(folder)
    requirePassphrase(passphrase)
    const place = await this.#credentials.write('backups', passphrase)
    this.#fault = null
    return { folder: resolve(folder), passphrase_place: place }
  }

  /** Forgets the passphrase. The copies that were made stay. */
  forget(): Promise<void> {
    return this.#credentials.remove('backups')
  }

  /**
   * Copies the newest backup that was made by itself, if that is yet to be done, and removes the copies that are no longer kept.
   * @param backups of the data directory, the newest first
   * @param encrypt writes an encrypted copy
   */
  async makeWhatIsDue(
    backups: readonly BackupFile[],
    encrypt: (path: string, encrypted: string, passphrase: string) => Promise<void>
  ): Promise<void> {
    try {
      const setting = await copiesSetting(this.#reader)
      const newest = backups.find(({ kind }) => kind === 'scheduled')
      if (!setting || !newest) return
      const place = this.#placeIn(setting.folder)
      const copy = encryptedPath(join(place, newest.name))
      if (!existsSync(copy)) {
        // Not made where it is missing: a drive that is not connected would be written to where it belongs.
        await this.#requireFolder(setting.folder)
        const passphrase = await this.#credentials.read('backups', setting.passphrase_place)
        if (passphrase === null)
          throw new Error('The passphrase cannot be read from where it is kept. Enter it again.')
        await makeDirectory(place)
        removeLeftParts(place, Date.now())
        await encrypt(newest.path, copy, passphrase)
      }
      for (const each of outlived(backupsIn(place, encryptedSuffix))) removeBackup(each)
      this.#fault = null
    } catch (error) {
      this.#fault = messageOf(error)
      process.stderr.write(`A backup was not copied: ${this.#fault}\n`)
    }
  }

  /** A folder of its own for each installation, so that none removes what another has put there. */
  #placeIn(folder: string): string {
    const host = hostname().replaceAll(/[^\w.-]/g, '_')
    const digest = createHash('sha256').update(`${host} ${this.#dataDirectory}`).digest('hex').slice(0, 6)
    return join(folder, `listwright-${host}-${digest}`)
  }

  /** @throws ApiError validation_failed with a sentence where nothing can be written there */
  async #requireFolder(folder: string): Promise<void> {
    if (!isAbsolute(folder))
      throw validationFailed(`folder must be a whole path, such as ${resolve('/backups')}`)
    const within = relative(this.#dataDirectory, folder)
    if (within.split(sep)[0] !== '..' && !isAbsolute(within))
      throw validationFailed('folder must be outside of the folder that holds the data')
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw validationFailed(`folder must exist; there is no folder ${folder}`)
    await access(folder, constants.W_OK).catch(() => {
      throw validationFailed(`folder must be writable; nothing can be written to ${folder}`)
    })
  }
}
