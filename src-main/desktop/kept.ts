import { app } from 'electron'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The state of the shell between starts; everything else is in the database. */
export interface Kept {
  /** The window's place, by the connected displays. */
  windows?: Record<string, { x: number; y: number; width: number; height: number; isMaximized: boolean }>
  /** True = check for updates once a day. */
  looksForUpdates?: boolean
  /** True = offer prereleases. */
  takesBetaVersions?: boolean
  /** True = check spelling where the dictionary must be downloaded. */
  checksSpelling?: boolean
}

function path(): string {
  return join(app.getPath('userData'), 'shell.json')
}

export function readKept(): Kept {
  try {
    return JSON.parse(readFileSync(path(), 'utf8')) as Kept
  } catch {
    // Missing or incomplete: it contains nothing that users would miss.
    return {}
  }
}

export function storeShellState(changes: Kept): void {
  mkdirSync(dirname(path()), { recursive: true })
  writeFileSync(path(), JSON.stringify({ ...readKept(), ...changes }))
}
