import type { Kysely } from 'kysely'
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, realpath, rm, rmdir, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { CredentialPlace } from '../base/credential-places.ts'
import type { CredentialOwner, Credentials } from '../base/credentials.ts'
import { copyCompared, makeDirectory } from '../base/durable.ts'
import { ExplainedError, messageOf, refusalOf, validationFailed } from '../base/errors.ts'
import { refusal, type Refusal } from '../base/refusal.ts'
import type { Schema } from '../database/schema.ts'
import { requirePassphrase } from './passphrase.ts'
import {
  type BackupFile,
  copiesIn,
  encryptedSuffix,
  lastMade,
  removeBackup,
  removeLeftParts
} from './files.ts'
import { copiesSetting } from './queries.ts'
import { outlived } from './rotation.ts'

/** Where encrypted copies and their passphrase are stored. */
export interface CopiesSetting {
  /** Absolute: a drive, or a folder that a cloud client syncs. */
  folder: string
  /**
   * The name of a folder in it that holds nothing but copies with this passphrase: no installation removes what another has put there,
   * and all copies of one folder are opened in the same way.
   */
  place: string
  passphrase_place: CredentialPlace
}

/** A folder that takes longer to be read is not waited for: a drive that sleeps, or a server that is gone. Milliseconds. */
const patience = 1000

/**
 * Encrypted copies of the backups that are made by themselves, in a folder somewhere else: they outlast this computer, and who finds
 * them can read nothing.
 */
export class Copies {
  readonly #reader: Kysely<Schema>
  readonly #credentials: Credentials
  readonly #dataDirectory: string
  /** Why the last due copy was not made; null = no fault. */
  #fault: Refusal | null = null
  /** When the last known copy was made, in UNIX milliseconds. */
  #lastAt: number | null = null
  #look: { place: string; ended: Promise<void> } | null = null
  #making: Promise<void> | null = null

  constructor(reader: Kysely<Schema>, credentials: Credentials, dataDirectory: string) {
    this.#reader = reader
    this.#credentials = credentials
    this.#dataDirectory = dataDirectory
  }

  /**
   * Returns the folder, the time of the last copy (UNIX milliseconds) and what prevents the next one; null if
   * no copies are made.
   */
  async state(): Promise<{ folder: string; lastAt: number | null; fault: Refusal | null } | null> {
    const setting = await copiesSetting(this.#reader)
    if (!setting) return null
    const look = this.#lookAt(placeOf(setting))
    const isLate = await Promise.race([look.then(() => false), pause(patience, true, { ref: false })])
    const late = isLate ? refusal('folder_silent', { folder: setting.folder }) : null
    return { folder: setting.folder, lastAt: this.#lastAt, fault: this.#fault ?? late }
  }

  /** A drive that does not answer is asked once. */
  #lookAt(place: string): Promise<void> {
    if (this.#look?.place === place) return this.#look.ended
    const look = { place, ended: this.#findLast(place).finally(() => this.#forget(look)) }
    this.#look = look
    return look.ended
  }

  #forget(look: { place: string }): void {
    if (this.#look?.place === look.place) this.#look = null
  }

  /** An unreadable folder, such as on a disconnected drive, is reported when a copy is due. */
  async #findLast(place: string): Promise<void> {
    const copies = await copiesIn(place).catch(() => null)
    // The folder for copies may have changed while it was read.
    if (copies && this.#look?.place === place) this.#lastAt = lastMade(copies, Date.now())?.createdAt ?? null
  }

  /**
   * Sets the folder and passphrase for copies. Existing copies keep theirs.
   * @param store stores the setting and returns the previous one
   * @throws ApiError validation_failed with a sentence if the folder cannot be used or the passphrase is too
   * short; after any error everything is unchanged
   */
  async set(
    folder: string,
    passphrase: string,
    store: (setting: CopiesSetting) => Promise<CopiesSetting | null>
  ): Promise<void> {
    await this.#requireFolder(folder)
    requirePassphrase(passphrase)
    const host = hostname().replaceAll(/[^\w.-]/g, '_')
    const place = `listwright-${host}-${randomBytes(3).toString('hex')}`
    const passphrasePlace = await this.#credentials.write(ownerOf({ place }), passphrase)
    const setting = { folder: resolve(folder), place, passphrase_place: passphrasePlace }
    let before: CopiesSetting | null
    try {
      await makeDirectory(placeOf(setting))
      before = await store(setting)
    } catch (error) {
      await this.#credentials.remove(ownerOf(setting))
      // The folder is not removed if it has contents or was never created.
      await rmdir(placeOf(setting)).catch(() => undefined)
      throw error
    }
    this.#fault = null
    this.#lastAt = null
    // Work that is still running for the previous folder is not waited for.
    this.#look = null
    this.#making = null
    if (before) await this.#credentials.remove(ownerOf(before))
  }

  /** Forgets the passphrase. The copies that were made stay. @param store keeps that, and answers what the setting was before */
  async stop(store: () => Promise<CopiesSetting | null>): Promise<void> {
    const before = await store()
    if (before) await this.#credentials.remove(ownerOf(before))
  }

  /**
   * Copies the last automatic backup if that has not been done, and deletes expired copies. Failures are
   * reported by the state. Waits as long as the drive takes; a copy in progress is awaited.
   * @param list the backups, newest first
   * @param encrypt writes an encrypted file next to a backup and returns its path
   * @param now UNIX milliseconds
   */
  makeWhatIsDue(
    list: () => readonly BackupFile[],
    encrypt: (backup: BackupFile, passphrase: string) => Promise<string>,
    now: number
  ): Promise<void> {
    if (this.#making) return this.#making
    const making = this.#makeWhatIsDue(list, encrypt, now).finally(() => {
      if (this.#making === making) this.#making = null
    })
    this.#making = making
    return making
  }

  async #makeWhatIsDue(
    list: () => readonly BackupFile[],
    encrypt: (backup: BackupFile, passphrase: string) => Promise<string>,
    now: number
  ): Promise<void> {
    try {
      const setting = await copiesSetting(this.#reader)
      const last = lastMade(
        list().filter(({ kind }) => kind === 'scheduled'),
        now
      )
      if (!setting || !last) return
      await this.#requireFolder(setting.folder)
      const place = placeOf(setting)
      await requirePlace(place)
      const name = last.name + encryptedSuffix
      if (!(await copiesIn(place)).some((copy) => copy.name === name)) {
        const passphrase = await this.#credentials.read(ownerOf(setting), setting.passphrase_place)
        if (passphrase === null) throw new ExplainedError(refusal('passphrase_unreadable'))
        await removeLeftParts(place, now)
        const encrypted = await encrypt(last, passphrase)
        try {
          await copyCompared(encrypted, join(place, name))
        } finally {
          await rm(encrypted, { force: true })
        }
      }
      for (const each of outlived(await copiesIn(place), now)) await removeBackup(each)
      this.#fault = null
    } catch (error) {
      this.#fault = refusalOf(error)
      process.stderr.write(`A backup was not copied: ${messageOf(error)}\n`)
    }
  }

  /** @throws ApiError validation_failed with a sentence where nothing can be written there */
  async #requireFolder(folder: string): Promise<void> {
    if (!isAbsolute(folder) || folder.includes('\0'))
      throw validationFailed(refusal('whole_path', { field: 'folder', example: resolve('/backups') }))
    if (!(await isDirectory(folder)))
      throw validationFailed(refusal('no_folder', { field: 'folder', folder }))
    // Both paths are resolved first, since either may contain links.
    const within = relative(await realpath(this.#dataDirectory), await realpath(folder))
    if (within.split(sep)[0] !== '..' && !isAbsolute(within))
      throw validationFailed(refusal('folder_of_data', { field: 'folder' }))
    await access(folder, constants.W_OK).catch(() => {
      throw validationFailed(refusal('folder_not_writable', { field: 'folder', folder }))
    })
  }
}

function ownerOf({ place }: Pick<CopiesSetting, 'place'>): CredentialOwner {
  return `copies-${place}`
}

function placeOf({ folder, place }: CopiesSetting): string {
  return join(folder, place)
}

/** A missing folder is not created: it would hide the mount point of a disconnected drive. */
async function requirePlace(place: string): Promise<void> {
  if (!(await isDirectory(place))) throw new ExplainedError(refusal('folder_missing', { folder: place }))
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false
}
