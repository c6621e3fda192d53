import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { basename, join } from 'node:path'
import { applicationId } from '../../src-main/base/application-id.ts'
import type { Library } from '../../src-main/workbench/about/endpoints.ts'
import { allLibraries, builtParts } from '../../src-main/workbench/about/libraries.ts'

// What every package of the application without Electron holds.

export interface PackagedVersion {
  version: string
  /** As Node names it: x64, arm64. */
  arch: string
  /** The time of the commit in seconds, so that the same sources give the same package. */
  epoch: number
}

export function packagedVersion(): PackagedVersion {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  // electron-builder names the update channel after the part behind the dash, and applications look only in
  // "beta" and "latest".
  if (version.includes('-') && !/-beta\.\d+$/.test(version))
    throw new Error(`The version ${version} must end with a number as in 1.0.0-beta.2, or have no dash`)
  return { version, arch: process.arch, epoch: sourceDate() }
}

function sourceDate(): number {
  const given = process.env['SOURCE_DATE_EPOCH']
  if (given !== undefined) return Number(given)
  try {
    return Number(execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8' }))
  } catch {
    // The sources have no Git history.
    return Math.floor(Date.now() / 1000)
  }
}

/** The address of releases with a trailing slash, from LISTWRIGHT_UPDATE_URL; undefined = none. */
export function releasesUrl(): string | undefined {
  const given = process.env['LISTWRIGHT_UPDATE_URL'] ?? ''
  if (given === '') return undefined
  return given.endsWith('/') ? given : `${given}/`
}

/** Native modules, with what of them runs here: one binary each. */
export function nativeModules(platform: string, arch: string): { name: string; files: string[] }[] {
  const keyring = { linux: `linux-${arch}-gnu`, darwin: `darwin-${arch}`, win32: `win32-${arch}-msvc` }[
    platform
  ]
  if (keyring === undefined) throw new Error(`Nothing is packed for ${platform}`)
  return [
    {
      name: 'better-sqlite3',
      files: ['package.json', 'LICENSE', 'lib', `prebuilds/${platform}-${arch}.node`]
    },
    { name: '@napi-rs/keyring', files: ['package.json', 'LICENSE', 'index.js'] },
    {
      name: `@napi-rs/keyring-${keyring}`,
      files: ['package.json', 'LICENSE.third-party.md', `keyring.${keyring}.node`]
    }
  ]
}

/** The files of a package, and its runtime. */
export interface BuiltParts {
  version: string
  platform: NodeJS.Platform
  /** More than one for a universal package. */
  archs: string[]
  /** Programs of out/main that this kind of package has no use for. */
  leavesOut: string[]
  /** The entry point for Electron. */
  main?: string
}

/** Writes the built application and its native modules into a directory, and nothing else. @param directory is emptied first */
export function writeBuilt(
  directory: string,
  { version, platform, archs, leavesOut, main }: BuiltParts
): void {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  cpSync('out', join(directory, 'out'), {
    recursive: true,
    filter: (path) => !leavesOut.includes(basename(path))
  })
  const dependencies: Record<string, string> = {}
  for (const { name, files } of archs.flatMap((arch) => nativeModules(platform, arch))) {
    const manifest = JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8')) as {
      version: string
    }
    dependencies[name] = manifest.version
    for (const file of files) {
      cpSync(join('node_modules', name, file), join(directory, 'node_modules', name, file), {
        recursive: true
      })
    }
  }
  const releases = releasesUrl()
  const manifest = {
    name: 'listwright',
    version,
    description: 'Manage email lists offline',
    author: 'The Listwright developers',
    private: true,
    type: 'module',
    // Electron names its windows by the desktop entry, as Linux finds the one that belongs to them.
    ...(main !== undefined && { main, desktopName: `${applicationId}.desktop` }),
    ...(releases !== undefined && { releases }),
    dependencies
  }
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/**
 * Writes what runs without Electron into a directory: bin/listwright, its own Node and the built application.
 * @param directory is emptied first
 */
export function writeApplication(directory: string, { version, arch }: PackagedVersion): void {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(join(directory, 'bin'), { recursive: true })
  writeBuilt(join(directory, 'app'), {
    version,
    platform: 'linux',
    archs: [arch],
    leavesOut: ['app.js', 'main.js']
  })
  cpSync('node_modules/node/bin/node', join(directory, 'node'))
  writeFileSync(join(directory, 'bin/listwright'), launcher, { mode: 0o755 })
}

/** Finds its own place, also where it is called by a link, such as /usr/bin/listwright. */
const launcher = `#!/bin/sh
self=$(readlink -f -- "$0") || exit 1
root=\${self%/bin/*}
exec "$root/node" "$root/app/out/main/listwright.js" "$@"
`

/** A file of resources/linux with the version and the day in it. */
export function resource(name: string, { version, epoch }: PackagedVersion): string {
  return readFileSync(join('resources/linux', name), 'utf8')
    .replaceAll('@VERSION@', version)
    .replaceAll('@DATE@', new Date(epoch * 1000).toISOString().slice(0, 10))
}

/** The libraries that are in the application, whichever part of it: by name. */
export function containedPackages(): Library[] {
  return allLibraries(
    builtParts.map((part) => JSON.parse(readFileSync(`out/${part}/licences.json`, 'utf8')) as Library[])
  )
}

/** Pinned by package.json; electron-builder looks for it in the staged application, which has no Electron of its own. */
export function electronVersion(): string {
  return (JSON.parse(readFileSync('node_modules/electron/package.json', 'utf8')) as { version: string })
    .version
}

export function nodeVersion(): string {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    devDependencies: { node: string }
  }
  return devDependencies.node
}

/** The runtime of a package, whose licenses it contains too. */
export type PackagedRuntime = 'Node.js' | 'Electron'

/** The owner's license, and the licenses of everything else in the package. */
export function copyright(runtime: PackagedRuntime): string {
  const keyring = nativeModules(process.platform, process.arch).at(-1)?.name ?? ''
  const sections = [
    licencesOf(runtime),
    {
      title: 'SQLite (in better-sqlite3)',
      text: 'SQLite is in the public domain: https://sqlite.org/copyright.html'
    },
    {
      title: 'Rust libraries (in @napi-rs/keyring)',
      text: readFileSync(join('node_modules', keyring, 'LICENSE.third-party.md'), 'utf8')
    },
    ...containedPackages().map(({ name, version, licence, text }) => ({
      title: `${name} ${version} (${licence})`,
      text
    }))
  ]
  return [
    'Listwright',
    '',
    'The owner of Listwright has not chosen a license for it yet. Until then, all rights are reserved.',
    'It contains the following works of others, under their own licenses.',
    ...sections.map(
      ({ title, text }) => `\n${'='.repeat(78)}\n${title}\n${'='.repeat(78)}\n\n${text.trim()}`
    ),
    ''
  ].join('\n')
}

function licencesOf(runtime: PackagedRuntime): { title: string; text: string } {
  if (runtime === 'Node.js') {
    const text = readFileSync('resources/licences/node.txt', 'utf8')
    return { title: `Node.js ${nodeVersion()}`, text }
  }
  return {
    title: `Electron ${electronVersion()}`,
    text: 'Its license, and those of Chromium, Node.js and what else is in it, come with it: LICENSE.electron.txt and LICENSES.chromium.html.'
  }
}
