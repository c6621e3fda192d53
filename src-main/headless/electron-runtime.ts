import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Timeout of downloading the runtime, in milliseconds. */
const fetchingTime = 5 * 60 * 1000

/** Electron is installed, missing though this checkout would use it, or not a part of this package. */
export type ElectronRuntime = { is: 'there'; binary: string } | { is: 'missing' } | { is: 'unused' }

/**
 * Finds the Electron binary, and downloads it first if needed and possible: npm installs the package without
 * it.
 */
export async function electronRuntime(): Promise<ElectronRuntime> {
  const directory = electronPackage()
  if (!directory) return { is: 'unused' }
  const binary =
    installedBinary(directory) ?? ((await fetchBinary(directory)) ? installedBinary(directory) : undefined)
  return binary === undefined ? { is: 'missing' } : { is: 'there', binary }
}

function electronPackage(): string | undefined {
  const require = createRequire(import.meta.url)
  const path = require.resolve
    .paths('electron')
    ?.find((root) => existsSync(join(root, 'electron/package.json')))
  return path && join(path, 'electron')
}

function installedBinary(directory: string): string | undefined {
  const note = join(directory, 'path.txt')
  if (!existsSync(note)) return undefined
  const binary = join(directory, 'dist', readFileSync(note, 'utf8'))
  return existsSync(binary) ? binary : undefined
}

function fetchBinary(directory: string): Promise<boolean> {
  return new Promise((resolve) => {
    const installer = spawn(process.execPath, [join(directory, 'install.js')], {
      cwd: dirname(directory),
      stdio: 'ignore',
      timeout: fetchingTime
    })
    installer.on('error', () => resolve(false))
    installer.on('exit', (status) => resolve(status === 0))
  })
}
