import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { copyright, type PackagedVersion, resource, writeApplication } from './application.ts'
import {
  copy,
  link,
  type LinuxPackage,
  makeReadable,
  packDeb,
  packRpm,
  write,
  writeDesktopFiles
} from './linux-files.ts'

// The packages of Linux: with a Node of their own and the window in an installed browser, or with Electron.

const own: LinuxPackage = {
  name: 'listwright',
  dependencies: {
    deb: 'libc6 (>= 2.28), libstdc++6, libgcc-s1',
    rpm: 'glibc >= 2.28, libstdc++, libgcc'
  },
  recommended: {
    deb: 'chromium | google-chrome-stable | microsoft-edge-stable',
    rpm: '(chromium or google-chrome-stable or microsoft-edge-stable)'
  }
}

const withElectron: LinuxPackage = {
  name: 'listwright-desktop',
  conflicting: 'listwright',
  dependencies: {
    deb: 'libgtk-3-0, libnotify4, libnss3, libxss1, libxtst6, xdg-utils, libatspi2.0-0, libuuid1, libsecret-1-0',
    rpm: 'gtk3, libnotify, nss, libXScrnSaver, libXtst, xdg-utils, at-spi2-core, libuuid, libsecret'
  }
}

/**
 * Writes a tree whose root is that of the system.
 * @returns its path
 */
function writeSystemTree(out: string, icons: string, packaged: PackagedVersion): string {
  const root = join(out, 'system')
  rmSync(root, { recursive: true, force: true })
  writeApplication(join(root, 'usr/lib/listwright'), packaged)
  link('../lib/listwright/bin/listwright', join(root, 'usr/bin/listwright'))
  writeDesktopFiles(join(root, 'usr/share'), icons, packaged)
  write(join(root, 'usr/lib/systemd/user/listwright.service'), resource('listwright.service', packaged))
  copy('resources/gate/listwright-gate.service', join(root, 'usr/lib/systemd/system/listwright-gate.service'))
  write(
    join(root, 'usr/share/man/man1/listwright.1.gz'),
    gzipSync(resource('listwright.1', packaged), { level: 9 })
  )
  write(join(root, 'usr/share/doc/listwright/copyright'), copyright('Node.js'))
  copy('resources/completion/listwright.bash', join(root, 'usr/share/bash-completion/completions/listwright'))
  return root
}

const packers = { deb: packDeb, rpm: packRpm }
export type PackageKind = keyof typeof packers

/**
 * Packs what runs without Electron.
 * @param icons the directory that writeIcons wrote
 * @returns the path of the package
 */
export function packOwn(kind: PackageKind, out: string, icons: string, packaged: PackagedVersion): string {
  const root = writeSystemTree(out, icons, packaged)
  const path = packers[kind](root, out, own, packaged)
  rmSync(root, { recursive: true, force: true })
  return path
}

/**
 * Packs what electron-builder unpacked, where it cannot fetch its own tools for that.
 * @param unpacked its directory
 * @returns the path of the package
 */
export function packElectron(
  kind: PackageKind,
  unpacked: string,
  out: string,
  icons: string,
  packaged: PackagedVersion
): string {
  const root = join(out, 'electron-system')
  rmSync(root, { recursive: true, force: true })
  cpSync(unpacked, join(root, 'usr/lib/listwright-desktop'), { recursive: true })
  link('../lib/listwright-desktop/listwright-desktop', join(root, 'usr/bin/listwright-desktop'))
  writeDesktopFiles(join(root, 'usr/share'), icons, packaged, 'listwright-desktop')
  copy(join(unpacked, 'resources/COPYRIGHT.txt'), join(root, 'usr/share/doc/listwright-desktop/copyright'))
  const path = packers[kind](root, out, withElectron, packaged)
  rmSync(root, { recursive: true, force: true })
  return path
}

/** @returns the path of the archive */
export function makeTarball(out: string, icons: string, packaged: PackagedVersion): string {
  const { version, arch, epoch } = packaged
  const name = `listwright-${version}-linux-${arch}`
  const root = join(out, name)
  writeApplication(root, packaged)
  writeDesktopFiles(join(root, 'share'), icons, packaged)
  write(join(root, 'share/man/man1/listwright.1'), resource('listwright.1', packaged))
  copy('resources/completion/listwright.bash', join(root, 'share/bash-completion/completions/listwright'))
  write(join(root, 'COPYRIGHT'), copyright('Node.js'))
  write(join(root, 'README'), readme)
  makeReadable(root)
  const path = join(out, `${name}.tar.gz`)
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', `--mtime=@${epoch}`]
  execFileSync('tar', [...same, '--use-compress-program=gzip -9n', '-cf', path, '-C', out, name])
  rmSync(root, { recursive: true })
  return path
}

const readme = `Listwright, with a Node of its own: nothing else has to be installed.

  bin/listwright          opens the application
  bin/listwright --help   tells what else it can do

The window opens in an installed Chromium, Chrome or Edge. To have it in the menu of the desktop, copy what lies in
share/applications and share/icons to ~/.local/share, and link bin/listwright into a directory of your PATH.
`
