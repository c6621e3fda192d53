import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface Manifest {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  allowScripts: Record<string, boolean>
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, { hasInstallScript?: boolean; integrity?: string; inBundle?: boolean }>
}
const wanted = { ...manifest.dependencies, ...manifest.devDependencies }

function namesWithReason(): string[] {
  return readFileSync('docs/contributing/dependencies.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .flatMap((line) => (line.split('|')[1] ?? '').split(','))
    .map((name) => name.trim().replace('\\*', '*'))
}

function covers(entry: string, name: string): boolean {
  return entry === name || (entry.endsWith('/*') && name.startsWith(entry.slice(0, -1)))
}

it('each dependency has its reason in dependencies.md, and each reason its dependency', () => {
  const entries = namesWithReason()
  const names = Object.keys(wanted)
  expect(names.filter((name) => !entries.some((entry) => covers(entry, name)))).toEqual([])
  expect(entries.filter((entry) => !names.some((name) => covers(entry, name)))).toEqual([])
})

it('each dependency is pinned to one version, and is in the lock file', () => {
  expect(Object.entries(wanted).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
  const unknown = Object.entries(lock.packages).filter(
    // What is in the archive of another package is known with that.
    ([path, { integrity, inBundle }]) => path !== '' && !integrity && !inBundle
  )
  expect(unknown.map(([path]) => path)).toEqual([])
})

it('only the node package may run an install script, and all packages with install scripts are known', () => {
  expect(manifest.allowScripts).toEqual({ node: true })
  const scripted = Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript)
  const names = new Set(scripted.map(([path]) => path.replace(/^.*node_modules\//, '')))
  // The others work without theirs: npm leaves them out, and says so.
  expect([...names].sort()).toEqual(['electron-winstaller', 'esbuild', 'node', 'vue-demi'])
})
