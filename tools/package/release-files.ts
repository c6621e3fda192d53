import SQLite from 'better-sqlite3'
import { createHash } from 'node:crypto'
import { appendFileSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { containedPackages, electronVersion, nodeVersion, type PackagedVersion } from './application.ts'

// What lies beside the packages of a release: what is in them, and their digests.

/** Writes listwright-VERSION-SYSTEM-ARCH.cdx.json: CycloneDX, with each library that is in the packages. @returns its path */
export function writeBillOfMaterials(out: string, { version, arch, epoch }: PackagedVersion): string {
  const library = (name: string, of: string, licence: string) => ({
    type: 'library',
    'bom-ref': purl(name, of),
    name,
    version: of,
    purl: purl(name, of),
    licenses: [/ (?:OR|AND) /.test(licence) ? { expression: licence } : { license: { id: licence } }]
  })
  const sqlite = sqliteVersion()
  const components = [
    library('node', nodeVersion(), 'MIT'),
    // What the packages with Electron run on, and what native modules are made of; the keyring's crates are in its licence file.
    library('electron', electronVersion(), 'MIT'),
    {
      type: 'library',
      'bom-ref': `pkg:generic/sqlite@${sqlite}`,
      name: 'sqlite',
      version: sqlite,
      purl: `pkg:generic/sqlite@${sqlite}`,
      licenses: [{ license: { name: 'Public domain' } }]
    },
    ...containedPackages().map(({ name, version: of, licence }) => library(name, of, licence))
  ]
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      component: { type: 'application', 'bom-ref': `listwright@${version}`, name: 'listwright', version }
    },
    components
  }
  const path = join(out, `listwright-${version}-${process.platform}-${arch}.cdx.json`)
  writeFileSync(path, `${JSON.stringify(bill, null, 2)}\n`)
  return path
}

/** The version in better-sqlite3. */
function sqliteVersion(): string {
  const database = new SQLite(':memory:')
  try {
    return database.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? ''
  } finally {
    database.close()
  }
}

function purl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

/** Writes SHA256SUMS for every file of a directory, as sha256sum --check reads it. @returns its path */
export function writeChecksums(out: string): string {
  const lines = readdirSync(out, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'SHA256SUMS')
    .map(({ name }) => name)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(out, name)))
          .digest('hex')}  ${name}\n`
    )
  const path = join(out, 'SHA256SUMS')
  writeFileSync(path, lines.join(''))
  return path
}

/**
 * Offers an update to a share of the copies, in all update files of a directory; each copy draws its lot
 * once.
 * @param percentage a whole number from 1 to 100
 */
export function stageRollout(directory: string, percentage: string): void {
  const share = Number(percentage)
  if (!Number.isInteger(share) || share < 1 || share > 100)
    throw new Error(
      `LISTWRIGHT_STAGING_PERCENTAGE is "${percentage}", and has to be a whole number from 1 to 100`
    )
  for (const path of globSync(join(directory, '*.yml')).filter(
    (each) => !basename(each).startsWith('builder-')
  ))
    appendFileSync(path, `stagingPercentage: ${share}\n`)
}
