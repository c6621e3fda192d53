import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { applicationId } from '../../src-main/base/application-id.ts'
import { type PackagedVersion, resource } from './application.ts'
import { linuxSizes } from './icons.ts'

// What packages of Linux are made of: the files that desktops look for, and a tree of files that becomes a .deb or an .rpm.

export interface LinuxPackage {
  name: string
  dependencies: { deb: string; rpm: string }
  recommended?: { deb: string; rpm: string }
  /** A package that has files of the same names. */
  conflicting?: string
}

const summary = 'manage email lists offline'
const description = `Listwright keeps lists of subscribers on your own computer: it imports CSV
files of a million rows, finds, changes and segments subscribers, and writes
campaigns, without a network. Other programs use an email marketing HTTP API
on the loopback port.`

export function debArchitecture({ arch }: PackagedVersion): string {
  return arch === 'x64' ? 'amd64' : arch
}

function rpmArchitecture({ arch }: PackagedVersion): string {
  return arch === 'x64' ? 'x86_64' : 'aarch64'
}

/** A version before another one has a dash for npm, and a tilde for packages. */
function packageVersion({ version }: PackagedVersion): string {
  return version.replaceAll('-', '~')
}

/**
 * Packs a tree of files, whose root is that of the system.
 * @returns the path of the package
 */
export function packDeb(root: string, out: string, about: LinuxPackage, packaged: PackagedVersion): string {
  const arch = debArchitecture(packaged)
  const size = sizeOf(root)
  write(
    join(root, 'DEBIAN/control'),
    `Package: ${about.name}
Version: ${packageVersion(packaged)}
Architecture: ${arch}
Maintainer: The Listwright developers <listwright@localhost>
Installed-Size: ${size}
Depends: ${about.dependencies.deb}
${about.recommended ? `Recommends: ${about.recommended.deb}\n` : ''}${about.conflicting ? `Conflicts: ${about.conflicting}\nReplaces: ${about.conflicting}\n` : ''}Section: mail
Priority: optional
Description: ${summary}
${description.replaceAll(/^/gm, ' ')}
`
  )
  makeReadable(root)
  const path = join(out, `${about.name}_${packaged.version}_${arch}.deb`)
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z6', '--build', root, path], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SOURCE_DATE_EPOCH: String(packaged.epoch) }
  })
  rmSync(join(root, 'DEBIAN'), { recursive: true })
  return path
}

/** Like packDeb(), with rpmbuild. */
export function packRpm(root: string, out: string, about: LinuxPackage, packaged: PackagedVersion): string {
  const arch = rpmArchitecture(packaged)
  const work = join(out, 'rpm')
  makeReadable(root)
  const spec = `Name: ${about.name}
Version: ${packageVersion(packaged)}
Release: 1
Summary: ${summary}
License: LicenseRef-not-chosen-yet
Requires: ${about.dependencies.rpm}
${about.recommended ? `Recommends: ${about.recommended.rpm}\n` : ''}${about.conflicting ? `Conflicts: ${about.conflicting}\n` : ''}AutoReqProv: no
%define _build_id_links none
%define __os_install_post %{nil}
%define _binary_payload w6.xzdio
%description
${description}
%files
${filesOf(root, about.name).join('\n')}
`
  write(join(work, 'package.spec'), spec)
  execFileSync(
    'rpmbuild',
    [
      ...['-bb', '--quiet', '--target', arch, '--buildroot', resolve(root)],
      // The tree exists already, and rpmbuild would empty it first.
      ...['--noclean', '--define', '_topdir ' + resolve(work), '--define', '_rpmdir ' + resolve(work)],
      ...['--define', '__spec_install_pre %{nil}', '--define', 'use_source_date_epoch_as_buildtime 1'],
      join(work, 'package.spec')
    ],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, SOURCE_DATE_EPOCH: String(packaged.epoch) }
    }
  )
  const name = `${about.name}-${packageVersion(packaged)}-1.${arch}.rpm`
  const path = join(out, name)
  cpSync(join(work, arch, name), path)
  rmSync(work, { recursive: true })
  return path
}

/** Every file and link, and the directories that are the package's alone, as %files of a spec takes them. */
function filesOf(root: string, name: string): string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  const own = new RegExp(`^/usr/(?:lib|share/doc)/${name}(?:/|$)`)
  return entries.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name).slice(root.length)
    if (!entry.isDirectory()) return [`"${path}"`]
    return own.test(path) ? [`%dir "${path}"`] : []
  })
}

/**
 * Writes the desktop's files: menu entry, description and icons.
 * @param program what the entry starts
 */
export function writeDesktopFiles(
  share: string,
  icons: string,
  packaged: PackagedVersion,
  program = 'listwright start'
): void {
  const entry = resource(`${applicationId}.desktop`, packaged)
  const windowClass = program === 'listwright start' ? 'listwright' : applicationId
  write(
    join(share, `applications/${applicationId}.desktop`),
    entry
      .replace('Exec=listwright start', `Exec=${program}`)
      .replace('StartupWMClass=listwright', `StartupWMClass=${windowClass}`)
  )
  const about = resource(`${applicationId}.metainfo.xml`, packaged)
  write(
    join(share, `metainfo/${applicationId}.metainfo.xml`),
    about.replace('<binary>listwright<', `<binary>${program.split(' ')[0]}<`)
  )
  const themes = join(share, 'icons/hicolor')
  for (const size of linuxSizes)
    copy(join(icons, `${size}x${size}.png`), join(themes, `${size}x${size}/apps/listwright.png`))
  copy('resources/icon.svg', join(themes, 'scalable/apps/listwright.svg'))
}

export function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

export function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to)
}

export function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

/** Makes files readable for all users, whatever the umask of the packager. Executable ones stay so. */
export function makeReadable(directory: string): void {
  chmodSync(directory, 0o755)
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isSymbolicLink()) continue
    if (entry.isDirectory()) makeReadable(path)
    // Chromium's sandbox helper must run as root.
    else if (entry.name === 'chrome-sandbox') chmodSync(path, 0o4755)
    else chmodSync(path, lstatSync(path).mode & 0o100 ? 0o755 : 0o644)
  }
}

function sizeOf(directory: string): number {
  let bytes = 0
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
    bytes += lstatSync(join(entry.parentPath, entry.name)).size
  return Math.ceil(bytes / 1024)
}
