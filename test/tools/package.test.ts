import { extractFile, getRawHeader, listPackage } from '@electron/asar'
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { configurationOf, makeUnpacked } from '../../tools/package/electron.ts'
import { packElectron } from '../../tools/package/linux.ts'
import { writeDesktopFiles } from '../../tools/package/linux-files.ts'
import { writeIcons } from '../../tools/package/icons.ts'
import { writeInstallerArt } from '../../tools/package/installer-art.ts'
import { stageRollout, writeBillOfMaterials, writeChecksums } from '../../tools/package/release-files.ts'
import type { Library } from '../../src-main/workbench/about/endpoints.ts'
import { temporaryDirectory } from '../support/application.ts'
import { isLong } from '../support/long.ts'
import { makeElectronStandIn } from './electron-distribution.ts'

/** The value of an enabled fuse: "1". */
const enabled = 0x31

describe.runIf(process.platform === 'linux')('the application with Electron', () => {
  let root: string
  let directory: string
  let icons: string
  let archive: string

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'listwright-test-'))
    icons = join(root, 'icons')
    writeIcons(icons)
    writeInstallerArt(icons)
    directory = await makeUnpacked({
      out: join(root, 'electron'),
      icons,
      version: '0.1.0',
      electronDist: await makeElectronStandIn(root)
    })
    archive = join(directory, 'resources/app.asar')
  })

  afterAll(() => rm(root, { recursive: true, force: true }))

  it('contains only what runs: the build and two native modules, without sources, maps or tests', () => {
    const files = listPackage(archive, { isPack: false })
    expect(files).toEqual(
      expect.arrayContaining(['/out/main/main.js', '/out/renderer/index.html', '/package.json'])
    )
    const odd = files.filter(
      (path) => /\.(?:ts|vue|map|md)$|\/(?:tests?|src)\//.test(path) && !/LICENSE/.test(path)
    )
    expect(odd).toEqual([])
    const modules = new Set(
      files.flatMap((path) => /^\/node_modules\/((?:@[^/]+\/)?[^/@]+)$/.exec(path)?.[1] ?? [])
    )
    expect([...modules].filter((name) => !name.startsWith('@') || name.includes('/')).sort()).toEqual([
      '@napi-rs/keyring',
      `@napi-rs/keyring-linux-${process.arch}-gnu`,
      'better-sqlite3'
    ])
    expect(JSON.parse(extractFile(archive, 'package.json').toString())).toMatchObject({
      main: 'out/main/main.js',
      type: 'module'
    })
  })

  it('has its native modules outside of the archive, for one architecture each', () => {
    const unpacked = globSync('**/*', { cwd: `${archive}.unpacked` }).filter((path) =>
      statSync(join(`${archive}.unpacked`, path)).isFile()
    )
    expect(unpacked.sort()).toEqual([
      `node_modules/@napi-rs/keyring-linux-${process.arch}-gnu/keyring.linux-${process.arch}-gnu.node`,
      `node_modules/better-sqlite3/prebuilds/linux-${process.arch}.node`
    ])
  })

  it('has fuses set against use as Node and code injection', async () => {
    const wire = await getCurrentFuseWire(join(directory, 'listwright-desktop'))
    const on = Object.entries(FuseV1Options)
      .filter(([, option]) => typeof option === 'number' && Number(wire[option]) === enabled)
      .map(([name]) => name)
    expect(on.sort()).toEqual([
      'EnableCookieEncryption',
      'EnableEmbeddedAsarIntegrityValidation',
      'OnlyLoadAppFromAsar'
    ])
  })

  it('adds at most 25 MB to Electron itself', () => {
    const { headerString } = getRawHeader(archive)
    expect(headerString.length).toBeLessThan(200_000)
    const native = globSync('**/*.node', { cwd: `${archive}.unpacked` })
    const bytes = [archive, ...native.map((path) => join(`${archive}.unpacked`, path))].reduce(
      (sum, path) => sum + statSync(path).size,
      0
    )
    expect(bytes).toBeLessThan(25e6)
  })

  it.runIf(isLong).each(['deb', 'rpm'] as const)(
    'becomes a .%s by the tools of the system, where they are',
    (kind) => {
      const tool = { deb: 'dpkg-deb', rpm: 'rpmbuild' }[kind]
      if (!existsSync(`/usr/bin/${tool}`)) return
      const path = packElectron(kind, directory, root, icons, {
        version: '0.1.0',
        arch: process.arch,
        epoch: 1
      })
      const list = { deb: ['dpkg-deb', '--contents', path], rpm: ['rpm', '-qplv', path] }[kind]
      const [command = '', ...args] = list
      const contents = execFileSync(command, args, { encoding: 'utf8' })
      for (const wanted of [
        /-rwxr-xr-x .* \.?\/usr\/lib\/listwright-desktop\/listwright-desktop/,
        /-rwsr-xr-x .* \.?\/usr\/lib\/listwright-desktop\/chrome-sandbox/,
        /\/usr\/lib\/listwright-desktop\/resources\/app\.asar/,
        /\/usr\/bin\/listwright-desktop -> /,
        /-rw-r--r-- .*\/usr\/share\/applications\/app\.listwright\.Listwright\.desktop/,
        /\/usr\/share\/icons\/hicolor\/512x512\/apps\/listwright\.png/,
        /\/usr\/share\/doc\/listwright-desktop\/copyright/
      ])
        expect(contents).toMatch(wanted)
    }
  )

  it('opens files of subscribers and links, and checks for updates only at the configured address', () => {
    const configuration = configurationOf({ out: 'dist', icons, version: '1.0.0' })
    expect(configuration.publish).toBeNull()
    expect(configuration.protocols).toEqual([{ name: 'Listwright', schemes: ['listwright'] }])
    for (const system of ['linux', 'mac'] as const)
      expect(configuration[system]?.fileAssociations).toMatchObject([
        { ext: 'csv', rank: 'Alternate' },
        { ext: 'tsv', rank: 'Alternate' }
      ])
    const url = 'https://updates.example.com/'
    expect(configurationOf({ out: 'dist', icons, version: '1.0.0', updateUrl: url }).publish).toEqual({
      provider: 'generic',
      url
    })
  })

  it('is offered by Windows for files of subscribers without taking over their double click', async () => {
    const { win, nsis, fileAssociations } = configurationOf({ out: 'dist', icons, version: '1.0.0' })
    expect([win?.fileAssociations, fileAssociations]).toEqual([undefined, undefined])
    const script = readFileSync(nsis?.include ?? '', 'utf8')
    for (const extension of ['csv', 'tsv'])
      expect(script).toContain(
        `WriteRegNone SHELL_CONTEXT "Software\\Classes\\.${extension}\\OpenWithProgids"`
      )
    expect(script).not.toMatch(/WriteRegStr SHELL_CONTEXT "Software\\Classes\\\.(?:csv|tsv)"/)
    if (!existsSync('/usr/bin/makensis')) return
    // As electron-builder includes it: with a variable of its own, and each warning an error.
    const folder = await temporaryDirectory()
    const installer = join(folder, 'installer.nsi')
    writeFileSync(
      installer,
      `Unicode true
      OutFile "${join(folder, 'Listwright-Setup.exe')}"
      RequestExecutionLevel user
      Var appExe
      !include "${join(process.cwd(), nsis?.include ?? '')}"
      Section
        StrCpy $appExe "$INSTDIR\\Listwright.exe"
        WriteUninstaller "$INSTDIR\\uninstall.exe"
        !insertmacro customInstall
      SectionEnd
      Section Uninstall
        !insertmacro customUnInstall
      SectionEnd\n`
    )
    execFileSync('makensis', ['-WX', '-V2', installer], { stdio: 'pipe' })
    expect(existsSync(join(folder, 'Listwright-Setup.exe'))).toBe(true)
  })

  it('has pictures for its installers in the sizes that those show', () => {
    for (const [name, width, height] of [
      ['sidebar', 164, 314],
      ['header', 150, 57]
    ] as const) {
      const bmp = readFileSync(join(icons, `${name}.bmp`))
      expect([
        bmp.toString('latin1', 0, 2),
        bmp.readUInt32LE(2),
        bmp.readInt32LE(18),
        bmp.readInt32LE(22)
      ]).toEqual(['BM', bmp.length, width, height])
    }
    const background = readFileSync(join(icons, 'background.png'))
    expect([background.readUInt32BE(16), background.readUInt32BE(20)]).toEqual([540, 380])
    const { nsis, dmg } = configurationOf({ out: 'dist', icons, version: '1.0.0' })
    for (const path of [nsis?.installerSidebar, nsis?.installerHeader, dmg?.background])
      expect(existsSync(path ?? '')).toBe(true)
  })

  it('is accompanied by the licenses of its contents', () => {
    const text = readFileSync(join(directory, 'resources/COPYRIGHT.txt'), 'utf8')
    for (const work of ['has not chosen a license', 'Electron 45', 'SQLite', 'fastify', 'vue ', 'lucide'])
      expect(text).toContain(work)
    expect(text).not.toContain('Node.js contributors')
    expect(existsSync(join(directory, 'LICENSES.chromium.html'))).toBe(true)
    const { mac } = configurationOf({ out: 'dist', icons, version: '1.0.0' })
    expect(mac?.extraResources).toMatchObject([
      { to: 'LICENSE.electron.txt' },
      { to: 'LICENSES.chromium.html' }
    ])
  })

  it('can be installed beside the packages without Electron, and its updates have notes', () => {
    const { deb, rpm, ...configuration } = configurationOf({
      out: 'dist',
      icons,
      version: '1.0.0',
      releaseNotes: 'new.md'
    })
    expect(deb?.artifactName).toBe('listwright-desktop_${version}_${arch}.${ext}')
    expect(rpm?.artifactName).toBe('listwright-desktop-${version}.${arch}.${ext}')
    expect(configuration.releaseInfo?.releaseNotesFile).toMatch(/new\.md$/)
    expect(configuration.generateUpdatesFilesForAllChannels).toBe(true)
  })

  it('has a desktop entry that opens files and links with it, and knows its windows', async () => {
    const share = await temporaryDirectory()
    writeDesktopFiles(share, icons, { version: '0.1.0', arch: process.arch, epoch: 1 }, 'listwright-desktop')
    const entry = readFileSync(join(share, 'applications/app.listwright.Listwright.desktop'), 'utf8')
    expect(entry).toMatch(/^Exec=listwright-desktop %u$/m)
    expect(entry).toMatch(/^StartupWMClass=app\.listwright\.Listwright$/m)
    expect(entry).toMatch(/^MimeType=text\/csv;text\/tab-separated-values;x-scheme-handler\/listwright;$/m)
  })

  it('names its windows as its desktop entry is named', () => {
    const manifest = JSON.parse(extractFile(archive, 'package.json').toString()) as { desktopName?: string }
    expect(manifest.desktopName).toBe('app.listwright.Listwright.desktop')
    const { linux } = configurationOf({ out: 'dist', icons, version: '1.0.0' })
    expect(linux?.syncDesktopName).toBe(true)
    expect(linux?.desktop?.entry).not.toHaveProperty('StartupWMClass')
  })

  it('has a signature that Apple’s processors start, and both architectures are fetched for it', () => {
    const { electronFuses } = configurationOf({ out: 'dist', icons, version: '1.0.0' })
    expect(electronFuses?.resetAdHocDarwinSignature).toBe(true)
  })

  it('has its icon in every size that the systems ask for', () => {
    for (const size of [16, 24, 32, 48, 64, 128, 256, 512]) {
      const png = readFileSync(join(icons, `${size}x${size}.png`))
      expect([png.readUInt32BE(16), png.readUInt32BE(20)], String(size)).toEqual([size, size])
    }
    const ico = readFileSync(join(icons, 'icon.ico'))
    expect([ico.readUInt16LE(2), ico.readUInt16LE(4)]).toEqual([1, 7])
    const last = 6 + 16 * 6
    expect(ico.readUInt32LE(last + 8) + ico.readUInt32LE(last + 12)).toBe(ico.length)
    const icns = readFileSync(join(icons, 'icon.icns'))
    expect([icns.toString('latin1', 0, 4), icns.readUInt32BE(4)]).toEqual(['icns', icns.length])
  })
})

describe('licences', () => {
  const of = (part: string) => JSON.parse(readFileSync(`out/${part}/licences.json`, 'utf8')) as Library[]

  it.skipIf(!existsSync('out/main/licences.json'))('are known for everything that is bundled', () => {
    for (const name of ['fastify', 'better-sqlite3', '@napi-rs/keyring', 'kysely', 'undici'])
      expect(of('main').map((each) => each.name)).toContain(name)
    for (const name of [
      'vue',
      '@nuxt/ui',
      '@iconify-json/lucide',
      '@fontsource-variable/inter',
      'tailwindcss'
    ])
      expect(of('renderer').map((each) => each.name)).toContain(name)
    for (const { name, licence, text } of [...of('main'), ...of('renderer')]) {
      expect(licence, name).toMatch(
        /^(?:MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|OFL-1\.1|\(MIT OR EUPL-1\.1\+\))$/
      )
      expect(text.length, name).toBeGreaterThan(100)
    }
  })

  it('are those of the Node that is packed', () => {
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      devDependencies: { node: string }
    }
    expect(devDependencies.node).toBe('24.21.0')
    expect(readFileSync('resources/licences/node.txt', 'utf8')).toContain('Copyright Node.js contributors')
  })
})

it('the bill of materials names each library that is packed, and the checksums are those of the files', async () => {
  const out = await temporaryDirectory()
  const path = writeBillOfMaterials(out, { version: '1.0.0', arch: 'x64', epoch: 0 })
  const bill = JSON.parse(readFileSync(path, 'utf8')) as { components: { purl: string }[] }
  const named = bill.components.map(({ purl }) => purl)
  expect(new Set(named).size).toBe(named.length)
  expect(named.some((purl) => purl.startsWith('pkg:generic/sqlite@3.'))).toBe(true)
  for (const name of ['fastify', 'vue', 'better-sqlite3', 'node', 'electron', '%40napi-rs/keyring'])
    expect(
      named.some((purl) => purl.startsWith(`pkg:npm/${name}@`)),
      name
    ).toBe(true)
  writeChecksums(out)
  expect(() =>
    execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: out, stdio: 'pipe' })
  ).not.toThrow()
})

it('an update is offered to a share of installations first, if configured', async () => {
  const out = await temporaryDirectory()
  const told = join(out, 'latest-linux.yml')
  writeFileSync(told, 'version: 1.0.0\n')
  writeFileSync(join(out, 'builder-debug.yml'), 'x64: {}\n')
  stageRollout(out, '10')
  expect(readFileSync(told, 'utf8')).toBe('version: 1.0.0\nstagingPercentage: 10\n')
  expect(readFileSync(join(out, 'builder-debug.yml'), 'utf8')).toBe('x64: {}\n')
  for (const wrong of ['0', '101', 'half'])
    expect(() => stageRollout(out, wrong)).toThrow(`LISTWRIGHT_STAGING_PERCENTAGE is "${wrong}"`)
})
