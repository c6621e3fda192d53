import { Arch, type Configuration, build, Platform } from 'electron-builder'
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { applicationId } from '../../src-main/base/application-id.ts'
import { electronRuntime } from '../../src-main/headless/electron-runtime.ts'
import { copyright, electronVersion, writeBuilt } from './application.ts'

// The packages with Electron, by electron-builder. Failed downloads are reported; nothing else depends on
// them.

/**
 * Kinds of files that the system offers to open with the application. On macOS it stays behind the program that people have for them;
 * on Windows, where it would not, resources/windows/installer.nsh offers it.
 */
const fileAssociations = [
  { ext: 'csv', mimeType: 'text/csv' },
  { ext: 'tsv', mimeType: 'text/tab-separated-values' }
].map((kind) => ({ ...kind, name: 'Import into Listwright', role: 'Viewer' as const, rank: 'Alternate' }))

export interface ElectronBuild {
  /** The output directory, also of the staged application. */
  out: string
  /** From writeIcons and writeInstallerArt. */
  icons: string
  version: string
  /** A distribution of Electron that is here already; undefined = it is fetched. */
  electronDist?: string | undefined
  /** Where installed applications look for updates; undefined = nowhere. */
  updateUrl?: string | undefined
  /** A Markdown file with the release notes that an update shows; undefined = none. */
  releaseNotes?: string | undefined
}

/**
 * Fuses: https://www.electronjs.org/docs/latest/tutorial/fuses. The binary runs only this application and
 * cannot serve as Node.
 */
export function configurationOf(input: ElectronBuild): Configuration {
  const { out, icons, electronDist, updateUrl, releaseNotes } = input
  return {
    appId: applicationId,
    productName: 'Listwright',
    copyright:
      'The owner of Listwright has not chosen a license for it yet. Until then, all rights are reserved.',
    directories: { app: join(out, 'app'), output: out, buildResources: icons },
    electronVersion: electronVersion(),
    ...(electronDist !== undefined && { electronDist: resolve(electronDist) }),
    npmRebuild: false,
    // Only native code must be outside the archive, whose contents are checked against its digest.
    asar: { smartUnpack: false },
    asarUnpack: ['**/*.node'],
    electronFuses: {
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      loadBrowserProcessSpecificV8Snapshot: false,
      grantFileProtocolExtraPrivileges: false,
      // Setting fuses breaks the signature that Electron comes with, without which Apple's processors start nothing.
      resetAdHocDarwinSignature: true
    },
    // The beta channel also offers the releases.
    generateUpdatesFilesForAllChannels: true,
    ...(releaseNotes !== undefined && { releaseInfo: { releaseNotesFile: resolve(releaseNotes) } }),
    protocols: [{ name: 'Listwright', schemes: ['listwright'] }],
    // Except on macOS, the licenses of Electron lie beside its program already.
    extraResources: [{ from: resolve(copyrightFile(out)), to: 'COPYRIGHT.txt' }],
    publish: updateUrl === undefined ? null : { provider: 'generic', url: updateUrl },
    linux: {
      fileAssociations,
      executableName: 'listwright-desktop',
      // Named as the application itself does, so that the system knows its windows.
      syncDesktopName: true,
      category: 'Office',
      icon: icons,
      synopsis: 'Manage email lists offline',
      maintainer: 'The Listwright developers <listwright@localhost>',
      vendor: 'The Listwright developers',
      mimeTypes: ['text/csv', 'text/tab-separated-values', 'x-scheme-handler/listwright'],
      desktop: {
        entry: { Keywords: 'newsletter;mailing list;subscribers;csv;' }
      }
    },
    // These packages can be installed beside those without Electron, which are named after the application.
    deb: {
      packageName: 'listwright-desktop',
      packageCategory: 'mail',
      priority: 'optional',
      artifactName: 'listwright-desktop_${version}_${arch}.${ext}'
    },
    rpm: {
      packageName: 'listwright-desktop',
      packageCategory: 'Applications/Internet',
      artifactName: 'listwright-desktop-${version}.${arch}.${ext}'
    },
    win: { icon: join(icons, 'icon.ico') },
    nsis: {
      // Installed per user, so that it needs no administrator and can update itself.
      oneClick: false,
      perMachine: false,
      allowElevation: false,
      // The data stays when the application is removed.
      deleteAppDataOnUninstall: false,
      include: 'resources/windows/installer.nsh',
      installerSidebar: join(icons, 'sidebar.bmp'),
      installerHeader: join(icons, 'header.bmp'),
      artifactName: '${productName}-Setup-${version}-${arch}.${ext}'
    },
    portable: { artifactName: '${productName}-${version}-portable-${arch}.${ext}' },
    mac: {
      fileAssociations,
      extraResources: [
        { from: 'node_modules/electron/dist/LICENSE', to: 'LICENSE.electron.txt' },
        { from: 'node_modules/electron/dist/LICENSES.chromium.html', to: 'LICENSES.chromium.html' }
      ],
      icon: join(icons, 'icon.icns'),
      category: 'public.app-category.business',
      // Both halves hold the native modules of both architectures.
      x64ArchFiles: '**/*.node',
      hardenedRuntime: true,
      // With an Apple account in the environment: APPLE_ID, APPLE_APP_SPECIFIC_PASSWORD, APPLE_TEAM_ID.
      notarize: process.env['APPLE_TEAM_ID'] !== undefined
    },
    dmg: { background: join(icons, 'background.png') }
  }
}

const targets: Partial<Record<NodeJS.Platform, { platform: Platform; kinds: string[]; arch?: Arch }>> = {
  linux: { platform: Platform.LINUX, kinds: ['AppImage', 'deb', 'rpm'] },
  win32: { platform: Platform.WINDOWS, kinds: ['nsis', 'portable'] },
  darwin: { platform: Platform.MAC, kinds: ['dmg', 'zip'], arch: Arch.universal }
}

/** The result of one kind of package. */
export interface Made {
  kind: string
  paths: string[]
  /** Why it failed, in a line. */
  fault?: string
}

/** Makes the packages for this system. Each is attempted whatever happens to the others. */
export async function makeElectronPackages(input: ElectronBuild): Promise<Made[]> {
  const target = targets[process.platform]
  if (!target) return []
  if (input.electronDist === undefined && (await electronRuntime()).is !== 'there') {
    const fault = 'Electron is not here and cannot be fetched; ELECTRON_DIST can name a folder that has it'
    return target.kinds.map((kind) => ({ kind, paths: [], fault }))
  }
  stage(input)
  const made: Made[] = []
  for (const kind of target.kinds) {
    try {
      const paths = await build({
        targets: target.platform.createTarget(kind, ...(target.arch === undefined ? [] : [target.arch])),
        // Each kind would write update metadata. Of the Linux packages only the AppImage updates itself.
        config: configurationOf({
          ...input,
          updateUrl: ['deb', 'rpm'].includes(kind) ? undefined : input.updateUrl
        }),
        publish: 'never'
      })
      made.push({ kind, paths: paths.filter((path) => !path.endsWith('.yml')) })
    } catch (error) {
      made.push({ kind, paths: [], fault: firstLine(error) })
    }
  }
  return made
}

/**
 * Makes the application as installed, without a package.
 * @returns its directory
 */
export async function makeUnpacked(input: ElectronBuild): Promise<string> {
  stage(input)
  await build({
    targets: Platform.LINUX.createTarget('dir'),
    config: configurationOf(input),
    publish: 'never'
  })
  return unpackedDirectory(input.out)
}

/** Returns where electron-builder unpacks the application of this architecture. */
export function unpackedDirectory(out: string): string {
  return join(out, process.arch === 'x64' ? 'linux-unpacked' : `linux-${process.arch}-unpacked`)
}

function copyrightFile(out: string): string {
  return join(out, 'COPYRIGHT.txt')
}

/** Puts what runs into a directory of its own, so that nothing else can come into a package. */
function stage({ out, version }: ElectronBuild): void {
  writeBuilt(join(out, 'app'), {
    version,
    platform: process.platform,
    archs: process.platform === 'darwin' ? ['x64', 'arm64'] : [process.arch],
    leavesOut: ['app.js', 'listwright.js'],
    main: 'out/main/main.js'
  })
  writeFileSync(copyrightFile(out), copyright('Electron'))
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.split('\n')[0]?.trim() ?? text
}

/**
 * The distribution that is used: the one that ELECTRON_DIST names, or the one that npm's package fetched. That is of one architecture,
 * so for a universal package both are fetched.
 */
export function electronDistribution(): string | undefined {
  const given = process.env['ELECTRON_DIST']
  if (given !== undefined) return given
  if (process.platform === 'darwin') return undefined
  const fetched = 'node_modules/electron/dist'
  return existsSync(fetched) ? fetched : undefined
}
