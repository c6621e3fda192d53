import { chmod, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../base/durable.ts'
import type { CredentialPlace } from './schema.ts'

/** Encrypts what only the user of this computer can decrypt: Electron's safeStorage. */
export interface DesktopEncryption {
  encrypt(text: string): Buffer
  decrypt(encrypted: Buffer): string
}

/** A place for the keys of remotes. */
interface Vault {
  write(remoteId: number, key: string): Promise<void>
  /** @returns null if no key is kept there */
  read(remoteId: number): Promise<string | null>
  remove(remoteId: number): Promise<void>
}

/** What the system's keyring calls the application. */
const service = 'Listwright'

/**
 * The keys of remotes: encrypted by the desktop where there is one, else in the system's keyring, else in a file that only its
 * owner can read. They are in no table, so no backup, copy or log of the data holds them.
 */
export class Credentials {
  readonly #vaults: Map<CredentialPlace, Vault>
  /** Of this application's data, so that two on one computer do not share keys. */
  readonly #owner: string

  /** @param dataDirectory absolute */
  constructor(dataDirectory: string, desktop: DesktopEncryption | null) {
    this.#owner = dataDirectory
    const directory = join(dataDirectory, 'credentials')
    this.#vaults = new Map<CredentialPlace, Vault>([
      ...(desktop ? [['desktop', encryptedFiles(directory, desktop)] as const] : []),
      ['keyring', this.#keyring()],
      ['file', plainFiles(directory)]
    ])
  }

  /** Keeps a key in the best place there is. @returns which */
  async write(remoteId: number, key: string): Promise<CredentialPlace> {
    for (const [place, vault] of this.#vaults) {
      try {
        await vault.write(remoteId, key)
        if ((await vault.read(remoteId)) !== key) continue
        await this.#removeBut(place, remoteId)
        return place
      } catch (error) {
        // Without a keyring the next place is tried. A file is the last one.
        if (place === 'file') throw error
      }
    }
    throw new Error('the key could not be stored')
  }

  /** @returns null where it is not there any more, or cannot be read */
  async read(remoteId: number, place: CredentialPlace): Promise<string | null> {
    try {
      return (await this.#vaults.get(place)?.read(remoteId)) ?? null
    } catch {
      // A keyring that is locked: the remote asks for the key.
      return null
    }
  }

  /** Removes a key from wherever it may be. */
  remove(remoteId: number): Promise<void> {
    return this.#removeBut(null, remoteId)
  }

  async #removeBut(kept: CredentialPlace | null, remoteId: number): Promise<void> {
    // The desktop's files and plain ones are the same ones.
    const others = [...this.#vaults].filter(
      ([place]) => place !== kept && (kept === null || kept === 'keyring' || place === 'keyring')
    )
    for (const [place, vault] of others) {
      try {
        await vault.remove(remoteId)
      } catch (error) {
        // Without a keyring there is nothing in it.
        if (place !== 'keyring') throw error
      }
    }
  }

  #keyring(): Vault {
    const entry = async (remoteId: number) => {
      const { AsyncEntry } = await import('@napi-rs/keyring')
      // Never the kernel's keyring, which forgets everything with the next start of the computer.
      return new AsyncEntry(service, `${this.#owner} ${remoteId}`, { linux: { store: 'secret-service' } })
    }
    return {
      write: async (remoteId, key) => (await entry(remoteId)).setPassword(key),
      read: async (remoteId) => (await (await entry(remoteId)).getPassword()) ?? null,
      remove: async (remoteId) => void (await (await entry(remoteId)).deletePassword())
    }
  }
}

function plainFiles(directory: string): Vault {
  return {
    write: (remoteId, key) => writeFile(directory, remoteId, Buffer.from(key)),
    read: async (remoteId) => (await readIfThere(pathOf(directory, remoteId)))?.toString() ?? null,
    remove: (remoteId) => rm(pathOf(directory, remoteId), { force: true })
  }
}

function encryptedFiles(directory: string, desktop: DesktopEncryption): Vault {
  return {
    write: (remoteId, key) => writeFile(directory, remoteId, desktop.encrypt(key)),
    read: async (remoteId) => {
      const encrypted = await readIfThere(pathOf(directory, remoteId))
      return encrypted && desktop.decrypt(encrypted)
    },
    remove: (remoteId) => rm(pathOf(directory, remoteId), { force: true })
  }
}

function pathOf(directory: string, remoteId: number): string {
  return join(directory, `remote-${remoteId}`)
}

async function writeFile(directory: string, remoteId: number, content: Buffer): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const path = pathOf(directory, remoteId)
  await writeDurably(path, content)
  await chmod(path, 0o600)
}

async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
