import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../src-main/base/errors.ts'
import { packagedVersion, releasesUrl } from './application.ts'
import { electronDistribution, makeElectronPackages, unpackedDirectory } from './electron.ts'
import { writeIcons } from './icons.ts'
import { writeInstallerArt } from './installer-art.ts'
import { stageRollout, writeBillOfMaterials, writeChecksums } from './release-files.ts'
import { makeTarball, packElectron, packOwn } from './linux.ts'

// `npm run package`: the packages of the system that it runs on, into dist/.

const out = 'dist'
const icons = join(out, 'icons')

rmSync(out, { recursive: true, force: true })
mkdirSync(out)
writeIcons(icons)
writeInstallerArt(icons)
const packaged = packagedVersion()
if (process.platform === 'linux') {
  tell(makeTarball(out, icons, packaged))
  for (const kind of ['deb', 'rpm'] as const)
    attempt(`The .${kind}`, () => packOwn(kind, out, icons, packaged))
}
const electron = { out: join(out, 'electron'), icons, version: packaged.version }
const electronDist = electronDistribution()
const made = await makeElectronPackages({
  ...electron,
  electronDist,
  updateUrl: releasesUrl(),
  releaseNotes: process.env['LISTWRIGHT_RELEASE_NOTES']
})
for (const { kind, paths, fault } of made) {
  for (const path of paths) tell(path)
  if (fault === undefined) continue
  process.stdout.write(`${kind} with Electron was not made by electron-builder: ${fault}\n`)
  // The tools that electron-builder needs for these are downloaded, but the system may have some.
  if (process.platform === 'linux' && electronDist !== undefined && (kind === 'deb' || kind === 'rpm')) {
    const unpacked = unpackedDirectory(electron.out)
    attempt(`${kind} with Electron`, () => packElectron(kind, unpacked, out, icons, packaged))
  }
}
const stagingPercentage = process.env['LISTWRIGHT_STAGING_PERCENTAGE'] ?? ''
if (stagingPercentage !== '') stageRollout(electron.out, stagingPercentage)
tell(writeBillOfMaterials(out, packaged))
for (const left of ['icons', 'electron/app', 'electron/COPYRIGHT.txt'])
  rmSync(join(out, left), { recursive: true, force: true })
tell(writeChecksums(out))
// A release with a missing kind of package must not look complete.
if (process.env['LISTWRIGHT_NEEDS_ALL'] === 'true' && made.some(({ fault }) => fault !== undefined))
  process.exitCode = 1

function attempt(what: string, make: () => string): void {
  try {
    tell(make())
  } catch (error) {
    process.stdout.write(`${what} was not made: ${messageOf(error)}\n`)
  }
}

function tell(path: string): void {
  process.stdout.write(`${path}  ${(statSync(path).size / 1e6).toFixed(1)} MB\n`)
}
