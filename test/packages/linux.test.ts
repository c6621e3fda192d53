import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { packagedVersion } from '../../tools/package/application.ts'
import { writeIcons } from '../../tools/package/icons.ts'
import { makeTarball, packOwn } from '../../tools/package/linux.ts'
import { debArchitecture } from '../../tools/package/linux-files.ts'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import { browserArguments, installedBrowser } from '../e2e/installed-browser.ts'
import { temporaryDirectory } from '../support/application.ts'
import { importText, makeList } from '../support/builders.ts'
import { serve } from '../support/process.ts'

// The packages as people get them from `npm run package`: installed, started, used, upgraded and removed. It changes the system that it runs on, so it is a
// run of its own (npm run test:packages), for machines that are thrown away.

const mayInstall = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
const out = 'dist'
const people = Array.from({ length: 200 }, (_, number) => `p${number}@example.com`)
const productColor: [number, number, number] = [0x4f, 0x46, 0xe5]
const file = `email\n${people.join('\n')}\n`

function apt(...args: string[]): string {
  return execFileSync('apt-get', ['-y', '--no-install-recommends', ...args], {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'pipe', 'pipe']
  })
}

async function importPeople(dataDirectory: string, program: string[]): Promise<number> {
  const application = await serve(dataDirectory, { program })
  const list = await makeList(application.api, { name: 'Readers' })
  const ended: SubscriberImport = await importText(application.api, list.id, file)
  expect(ended.state).toBe('finished')
  const { num_records = 0 } = await application.api.get(`/mailing_lists/${list.id}/subscribers`)
  expect(await application.end('SIGTERM')).toBe(0)
  return num_records
}

// Where a machine promises to run all tests, that it cannot is a failure.
describe.skipIf(!mayInstall && process.env['CI'] !== 'true')('the packages without Electron', () => {
  const packaged = packagedVersion()
  const icons = join(out, 'icons-of-next')
  const deb = join(out, `listwright_${packaged.version}_${debArchitecture(packaged)}.deb`)
  const next = { ...packaged, version: `${packaged.version}.1` }
  const tarball = join(out, `listwright-${packaged.version}-linux-${packaged.arch}.tar.gz`)

  it('the .deb is installed with apt, used with and without a display, upgraded with its data in place, and purged', async () => {
    expect(existsSync('/usr/bin/listwright')).toBe(false)
    onTestFinished(() => void execFileSync('dpkg', ['--purge', 'listwright'], { stdio: 'ignore' }))
    apt('install', join(process.cwd(), deb))
    expect(execFileSync('listwright', ['--version'], { encoding: 'utf8' })).toBe(`${packaged.version}\n`)
    const copyright = readFileSync('/usr/share/doc/listwright/copyright', 'utf8')
    for (const work of ['Node.js', 'SQLite', 'fastify', 'vue ', 'better-sqlite3', 'lucide'])
      expect(copyright).toContain(work)
    expect(copyright).toContain('has not chosen a license')
    execFileSync('desktop-file-validate', ['/usr/share/applications/app.listwright.Listwright.desktop'])
    const metainfo = '/usr/share/metainfo/app.listwright.Listwright.metainfo.xml'
    execFileSync('appstreamcli', ['validate', '--no-net', metainfo])
    execFileSync('man', ['--warnings', '-l', '/usr/share/man/man1/listwright.1.gz'], { stdio: 'ignore' })

    const service = '/usr/lib/systemd/user/listwright.service'
    const home = await temporaryDirectory()
    if (existsSync('/usr/bin/systemd-analyze'))
      execFileSync('systemd-analyze', ['--user', 'verify', service], {
        env: { ...process.env, XDG_RUNTIME_DIR: home },
        stdio: 'pipe'
      })
    // As systemd would start it.
    const [, served = ''] = /^ExecStart=(.*)$/m.exec(readFileSync(service, 'utf8')) ?? []
    const data = join(home, 'Listwright')
    const [command = '', ...options] = served.split(' ')
    const background = start(home, {}, [command, ...options])
    await printed(background, /127\.0\.0\.1:4280/)
    background.kill('SIGTERM')
    expect((await once(background, 'exit'))[0]).toBe(0)
    expect(await importPeople(data, ['listwright'])).toBe(people.length)

    const withoutDisplay = start(home, {})
    expect(await printed(withoutDisplay, /sign_in=/)).toContain('Open Listwright in a browser')
    withoutDisplay.kill('SIGTERM')
    expect((await once(withoutDisplay, 'exit'))[0]).toBe(0)

    await expectWindow(home)

    writeIcons(icons)
    const second = packOwn('deb', out, icons, next)
    apt('install', join(process.cwd(), second))
    rmSync(icons, { recursive: true })
    rmSync(second)
    expect(execFileSync('listwright', ['--version'], { encoding: 'utf8' })).toBe(`${next.version}\n`)
    const upgraded = await serve(data, { program: ['listwright'] })
    expect((await upgraded.api.get('/mailing_lists/1/subscribers')).num_records).toBe(people.length)
    await upgraded.end('SIGTERM')

    apt('purge', 'listwright')
    const left = execFileSync('sh', ['-c', 'find / -xdev -name "*listwright*" -path "/usr/*" || true'])
    expect(left.toString()).toBe('')
    expect(existsSync(join(data, 'listwright.db'))).toBe(true)
  }, 300_000)

  it('the .tar.gz runs from an empty folder without a network, with and without a display, is upgraded with its data in place, and removed', async () => {
    const folder = await temporaryDirectory()
    const home = join(folder, 'home')
    const data = join(home, 'Listwright')
    const program = unpack(tarball, join(folder, 'first'))
    // Without any other Node, and with the loopback of a network of its own and nothing else.
    const script = `
      ! curl -s -m 2 https://registry.npmjs.org >/dev/null
      ${program} serve --port 4280 --json > ${folder}/ready & pid=$!
      until [ -s ${folder}/ready ]; do sleep 0.1; done
      ${program} key create Test --json > ${folder}/key
      key=$(sed 's/.*"authorization":"\\([^"]*\\)".*/\\1/' ${folder}/key)
      api() { curl -sS -H "Authorization: $key" -H 'Content-Type: application/json' "$@"; }
      api http://127.0.0.1:4280/ga/api/v2/mailing_lists -d '{"mailing_list":{"name":"Readers"}}'
      api http://127.0.0.1:4280/ga/api/v2/mailing_lists/1/subscriber_imports -d '{"subscriber_import":{"column_mapping":["email"],"file_source":{"type":"json","content":"a@example.com\\nb@example.com"},"file_format":{"csv_has_headers":false}}}'
      until api http://127.0.0.1:4280/ga/api/v2/subscriber_imports/1 | grep -q '"finished"'; do sleep 0.1; done
      api http://127.0.0.1:4280/ga/api/v2/mailing_lists/1/subscribers
      kill $pid; wait $pid; echo "status $?"`
    const [command, ...args] = withoutNetwork(script)
    const output = execFileSync(command, args, {
      encoding: 'utf8',
      timeout: 60_000,
      env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME: home, XDG_DATA_HOME: home }
    })
    expect(output).toContain('"num_records":2')
    expect(output.trimEnd()).toMatch(/status 0$/)
    expect(existsSync(join(data, 'listwright.db'))).toBe(true)

    await expectWindow(home, withoutNetwork(`exec ${program} start`))

    writeIcons(icons)
    const second = makeTarball(out, icons, next)
    const upgraded = unpack(second, join(folder, 'second'))
    rmSync(icons, { recursive: true })
    rmSync(second)
    rmSync(join(folder, 'first'), { recursive: true })
    expect(execFileSync(upgraded, ['--version'], { encoding: 'utf8' })).toBe(`${next.version}\n`)
    const application = await serve(data, { program: [upgraded] })
    expect((await application.api.get('/mailing_lists/1/subscribers')).num_records).toBe(2)
    await application.end('SIGTERM')

    // All there is of it is its folder; the browser leaves caches of its own.
    rmSync(join(folder, 'second'), { recursive: true })
    const left = readdirSync(home, { recursive: true, encoding: 'utf8' })
    expect(left.filter((path) => /listwright/i.test(path) && !path.startsWith('Listwright'))).toEqual([])
  }, 300_000)
})

function unpack(tarball: string, folder: string): string {
  mkdirSync(folder)
  execFileSync('tar', ['-xf', tarball, '-C', folder])
  const [name = ''] = readdirSync(folder)
  return join(folder, name, 'bin/listwright')
}

/** Runs a script with loopback as its only network. */
function withoutNetwork(script: string): [string, ...string[]] {
  return ['unshare', '--net', 'sh', '-ec', `ip link set lo up\n${script}`]
}

function start(
  home: string,
  environment: Record<string, string>,
  [command, ...args]: [string, ...string[]] = ['listwright', 'start']
): ChildProcess {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...inherited } = process.env
  const child = spawn(command, args, {
    env: { ...inherited, HOME: home, XDG_DATA_HOME: home, ...environment },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  let output = ''
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk)
    if (pattern.test(output)) return output
  }
  throw new Error(`it ended after printing: ${output}`)
}

/**
 * Opens the window on a virtual screen, checks its picture, and ends it.
 * @param command that starts it; default: the installed one
 */
async function expectWindow(home: string, command?: [string, ...string[]]): Promise<void> {
  await onScreen(async (display) => {
    const window = start(home, { DISPLAY: display }, command)
    await printed(window, /sign_in=/)
    await shown(display)
    await vi.waitFor(
      async () => expect(await shareOf(await pictureOf(display), productColor)).toBeGreaterThan(0.0002),
      { timeout: 20_000, interval: 500 }
    )
    window.kill('SIGTERM')
    expect((await once(window, 'exit'))[0]).toBe(0)
  })
}

async function pictureOf(display: string): Promise<string> {
  const path = join(await temporaryDirectory(), 'window.png')
  execFileSync('scrot', [path], { env: { ...process.env, DISPLAY: display } })
  return path
}

async function onScreen(work: (display: string) => Promise<void>): Promise<void> {
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1400x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe']
  })
  try {
    const [number] = (await once(server.stdio[3] as NodeJS.ReadableStream, 'data')) as [Buffer]
    await work(`:${number.toString().trim()}`)
  } finally {
    server.kill()
  }
}

/** Waits until a window has the title of a loaded page. */
async function shown(display: string): Promise<void> {
  const env = { ...process.env, DISPLAY: display }
  for (let tries = 0; tries < 200; tries++) {
    await pause(100)
    try {
      return void execFileSync('xdotool', ['search', '--onlyvisible', '--name', 'Home.*Listwright'], { env })
    } catch {
      // There is none yet: xdotool ends with status 1.
    }
  }
  throw new Error('no window was shown')
}

async function shareOf(path: string, color: [number, number, number]): Promise<number> {
  const browser = await chromium.launch({ executablePath: installedBrowser ?? '', args: browserArguments })
  try {
    const page = await browser.newPage()
    const source = `data:image/png;base64,${readFileSync(path).toString('base64')}`
    return await page.evaluate(
      async ([source, color]) => {
        const image = new Image()
        image.src = source
        await image.decode()
        const canvas = new OffscreenCanvas(image.width, image.height)
        const context = canvas.getContext('2d')
        if (!context) throw new Error('nothing can be drawn')
        context.drawImage(image, 0, 0)
        const { data } = context.getImageData(0, 0, image.width, image.height)
        let alike = 0
        for (let at = 0; at < data.length; at += 4)
          if (color.every((part, index) => Math.abs((data[at + index] ?? 0) - part) < 24)) alike++
        return alike / (data.length / 4)
      },
      [source, color] as const
    )
  } finally {
    await browser.close()
  }
}
