import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageDirectory } from '../../base/package-directory.ts'
import { installedPackage, newerVersion } from './newer-version.ts'

declare module '../../http/context.ts' {
  interface ApplicationContext {
    about: About
  }
}

/** A newer version that can be installed. */
export interface Update {
  version: string
  /** What is new in it, as text; '' where nothing was said. */
  notes: string
}

/** A library that is in the application, with its licence. */
export interface ContainedLibrary {
  name: string
  version: string
  licence: string
  text: string
}

/** What the application tells of itself, and what its shell knows of newer versions. */
export class About {
  readonly #installed = installedPackage()
  readonly version = this.#installed.version
  /** null = none is known, or nobody looks for one. */
  update: Update | null = null
  /** Looks for a newer version, over the network; undefined where nobody said where they are. @throws Error with a sentence */
  look: (() => Promise<void>) | undefined =
    this.#installed.releases === undefined
      ? undefined
      : async () => {
          this.update = await newerVersion(this.#installed)
        }
  /** Installs the update and starts again; undefined where the system does that. @throws Error with a sentence why not now */
  installUpdate: (() => Promise<void>) | undefined

  /** The libraries of this process and of the window, by name. Empty when it runs from its sources. */
  async libraries(): Promise<ContainedLibrary[]> {
    const parts = await Promise.all(['main', 'renderer'].map(librariesOf))
    const all = new Map(parts.flat().map((each) => [`${each.name} ${each.version}`, each]))
    return [...all.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'))
  }
}

async function librariesOf(part: string): Promise<ContainedLibrary[]> {
  const path = join(packageDirectory, 'out', part, 'licences.json')
  try {
    return JSON.parse(await readFile(path, 'utf8')) as ContainedLibrary[]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
