import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageDirectory } from './package-directory.ts'

/** The application's own package.json: that of a checkout, or what an installed package has of it. */
export interface InstalledPackage {
  version: string
  /** The address of releases with a trailing slash; undefined if not configured when packaged. */
  releases?: string
}

export function installedPackage(): InstalledPackage {
  return JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8')) as InstalledPackage
}
