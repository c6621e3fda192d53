import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageDirectory } from '../../base/package-directory.ts'
import { installedPackage } from '../../base/installed-package.ts'
import type { Library } from './endpoints.ts'
import { allLibraries, builtParts } from './libraries.ts'
import { newerVersion } from './newer-version.ts'

declare module '../../http/context.ts' {
  interface ApplicationContext {
    about: About
  }
}

/** A newer version that can be installed. */
export interface Update {
  version: string
  /** The release notes as text; '' = none. */
  notes: string
}

/** The application's version and what is known of newer ones. */
export class About {
  readonly #installed = installedPackage()
  readonly version = this.#installed.version
  /** null = none is known. */
  update: Update | null = null
  /**
   * Checks for a newer version over the network; undefined if no address is configured.
   * @throws Error with a sentence
   */
  look: (() => Promise<void>) | undefined =
    this.#installed.releases === undefined
      ? undefined
      : async () => {
          this.update = await newerVersion(this.#installed)
        }
  /** Installs the update and starts again; undefined where the system does that. @throws Error with a sentence why not now */
  installUpdate: (() => Promise<void>) | undefined

  async libraries(): Promise<Library[]> {
    return allLibraries(await Promise.all(builtParts.map(librariesOf)))
  }
}

async function librariesOf(part: string): Promise<Library[]> {
  const path = join(packageDirectory, 'out', part, 'licences.json')
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Library[]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
