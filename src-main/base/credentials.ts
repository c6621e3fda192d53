import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CredentialPlace } from './credential-places.ts'
import { writeDurably } from './durable.ts'

/**
 * The owner of a secret: the key of a remote by id, the passphrase of the encrypted copies in a folder, the password of an SMTP server or of a
 * mailbox, the private half of a DKIM key, the key of a gate, the secrets of a webhook, or the
 * password of a database.
 */
export type CredentialOwner =
  | number
  | `copies-${string}`
  | `smtp-${number}`
  | `dkim-${number}`
  | `imap-${number}`
  | `gate-${number}`
  | `webhook-${number}`
  | `database-${number}`

/** Encrypts what only the user of this computer can decrypt: Electron's safeStorage. */
export interface DesktopEncryption {
  encrypt(text: string): Buffer
  decrypt(encrypted: Buffer): string
}

interface Vault {
  write(owner: CredentialOwner, secret: string): Promise<void>
  /** @returns null if no secret is kept there */
  read(owner: CredentialOwner): Promise<string | null>
  remove(owner: CredentialOwner): Promise<void>
}

const service = 'Listwright'

/**
 * Stores secrets: encrypted by the desktop if there is one, else in the system's keyring, else in a private
 * file. They are in no table, so no backup, copy or log contains them.
 */
export class Credentials {
  readonly #vaults: Map<CredentialPlace, Vault>
  /** Identifies the data directory, so that two on one computer do not share secrets. */
  readonly #application: string
  /** The last change of each owner's secret. The next one waits for it. */
  readonly #turns = new Map<CredentialOwner, Promise<unknown>>()

  constructor(dataDirectory: string, desktop: DesktopEncryption | null) {
    this.#application = dataDirectory
    const directory = join(dataDirectory, 'credentials')
    this.#vaults = new Map<CredentialPlace, Vault>([
      ...(desktop ? [['desktop', encryptedFiles(directory, desktop)] as const] : []),
      ['keyring', this.#keyring()],
      ['file', plainFiles(directory)]
    ])
  }

  /**
   * Stores a secret in the best available place.
   * @returns the place
   */
  write(owner: CredentialOwner, secret: string): Promise<CredentialPlace> {
    return this.#inTurn(owner, () => this.#write(owner, secret))
  }

  /**
   * Stores a secret that is made from the one before.
   * @param place where the one before is; null = there is none
   * @returns the place of the new one, and what else was made
   */
  change<Made>(
    owner: CredentialOwner,
    place: CredentialPlace | null,
    change: (before: string | null) => { secret: string; made: Made }
  ): Promise<{ place: CredentialPlace; made: Made }> {
    return this.#inTurn(owner, async () => {
      const { secret, made } = change(place === null ? null : await this.read(owner, place))
      return { place: await this.#write(owner, secret), made }
    })
  }

  /** @returns null where it is not there any more, or cannot be read */
  async read(owner: CredentialOwner, place: CredentialPlace): Promise<string | null> {
    try {
      return (await this.#vaults.get(place)?.read(owner)) ?? null
    } catch {
      // The keyring may be locked; then the user is asked for the secret again.
      return null
    }
  }

  remove(owner: CredentialOwner): Promise<void> {
    return this.#inTurn(owner, () => this.#removeBut(null, owner))
  }

  #inTurn<Result>(owner: CredentialOwner, work: () => Promise<Result>): Promise<Result> {
    const before = this.#turns.get(owner) ?? Promise.resolve()
    const turn = before.then(work, work)
    this.#turns.set(owner, turn)
    const forget = (): void => {
      if (this.#turns.get(owner) === turn) this.#turns.delete(owner)
    }
    turn.then(forget, forget)
    return turn
  }

  async #write(owner: CredentialOwner, secret: string): Promise<CredentialPlace> {
    for (const [place, vault] of this.#vaults) {
      try {
        await vault.write(owner, secret)
        if ((await vault.read(owner)) !== secret) continue
        await this.#removeBut(place, owner)
        return place
      } catch (error) {
        // If there is no keyring, the next place is tried. A file is the last one.
        if (place === 'file') throw error
      }
    }
    throw new Error('the secret could not be stored')
  }

  async #removeBut(kept: CredentialPlace | null, owner: CredentialOwner): Promise<void> {
    // Encrypted and plain files have the same paths, so removing one kind would remove the other.
    const others = [...this.#vaults].filter(
      ([place]) => place !== kept && (kept === null || kept === 'keyring' || place === 'keyring')
    )
    for (const [place, vault] of others) {
      try {
        await vault.remove(owner)
      } catch (error) {
        // If there is no keyring, it holds no secret either.
        if (place !== 'keyring') throw error
      }
    }
  }

  #keyring(): Vault {
    const entry = async (owner: CredentialOwner) => {
      const { AsyncEntry } = await import('@napi-rs/keyring')
      // The kernel's keyring is not used, since it loses everything when the computer restarts.
      return new AsyncEntry(service, `${this.#application} ${owner}`, { linux: { store: 'secret-service' } })
    }
    return {
      write: async (owner, secret) => (await entry(owner)).setPassword(secret),
      read: async (owner) => (await (await entry(owner)).getPassword()) ?? null,
      remove: async (owner) => void (await (await entry(owner)).deletePassword())
    }
  }
}

/**
 * Stores the secret of a record once its settings are accepted, so that it never goes to a server that it was not entered for. Without a new one,
 * a secret that the record lost is removed.
 * @param row the record as it is stored
 * @param update stores where the secret is. @returns the record after it
 */
export async function storeSecretOf<Row extends { credential_place: CredentialPlace | null }>(
  credentials: Pick<Credentials, 'write' | 'remove'>,
  owner: CredentialOwner,
  row: Row,
  secret: string | undefined,
  update: (place: CredentialPlace) => Promise<Row>
): Promise<Row> {
  if (secret) return update(await credentials.write(owner, secret))
  if (row.credential_place === null) await credentials.remove(owner)
  return row
}

/** Returns the column of a changed record's secret: a secret goes only to the server that it was entered for. @param given where a new one is */
export function secretColumn(
  isElsewhere: boolean,
  given: CredentialPlace | undefined
): { credential_place?: CredentialPlace | null } {
  if (given !== undefined) return { credential_place: given }
  return isElsewhere ? { credential_place: null } : {}
}

function plainFiles(directory: string): Vault {
  return {
    write: (owner, secret) => writeFile(directory, owner, Buffer.from(secret)),
    read: async (owner) => (await readIfThere(pathOf(directory, owner)))?.toString() ?? null,
    remove: (owner) => rm(pathOf(directory, owner), { force: true })
  }
}

function encryptedFiles(directory: string, desktop: DesktopEncryption): Vault {
  return {
    write: (owner, secret) => writeFile(directory, owner, desktop.encrypt(secret)),
    read: async (owner) => {
      const encrypted = await readIfThere(pathOf(directory, owner))
      return encrypted && desktop.decrypt(encrypted)
    },
    remove: (owner) => rm(pathOf(directory, owner), { force: true })
  }
}

function pathOf(directory: string, owner: CredentialOwner): string {
  return join(directory, typeof owner === 'number' ? `remote-${owner}` : owner)
}

async function writeFile(directory: string, owner: CredentialOwner, content: Buffer): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await writeDurably(pathOf(directory, owner), content, 0o600)
}

async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
