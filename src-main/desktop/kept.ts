import { app } from 'electron'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What the shell remembers between two starts. What the application itself knows is in its database. */
export interface Kept {
  /** Where the window was, by the displays that there were. */
  windows?: Record<string, { x: number; y: number; width: number; height: number; isMaximized: boolean }>
  /** Whether newer versions are looked for once a day. */
  looksForUpdates?: boolean
  /** Whether versions are offered that are still being tested. */
  takesBetaVersions?: boolean
  /** Whether spelling is checked where the dictionary for that has to be downloaded. */
  checksSpelling?: boolean
}

function path(): string {
  return join(app.getPath('userData'), 'shell.json')
}

export function readKept(): Kept {
  try {
    return JSON.parse(readFileSync(path(), 'utf8')) as Kept
  } catch {
    // Nothing yet, or a file that was cut off: it holds nothing that anybody would miss.
    return {}
  }
}

export function keep(changes: Kept): void {
  mkdirSync(dirname(path()), { recursive: true })
  writeFileSync(path(), JSON.stringify({ ...readKept(), ...changes }))
}
