import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryDirectory } from '../support/application.ts'
import { entryPoint } from '../support/built.ts'
import { SessionClient } from '../support/session-client.ts'

/** Runs `npm start` where nothing can be fetched, with the programs of one directory only. */
async function start(environment: Record<string, string>, args: string[] = []) {
  const home = await temporaryDirectory()
  const child = spawn(process.execPath, [entryPoint, 'start', ...args], {
    env: {
      HOME: home,
      XDG_DATA_HOME: home,
      PATH: '',
      // Port 9 of the machine itself answers nothing.
      ELECTRON_MIRROR: 'http://127.0.0.1:9/',
      electron_config_cache: join(home, 'cache'),
      ...environment
    }
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'close').then(([status]) => status as number | null)
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return {
    child,
    ended,
    until: async (pattern: RegExp) => {
      while (!pattern.test(output) && child.exitCode === null) await pause(20)
      return output
    }
  }
}

async function fakeBrowser(directory: string, seconds = 1): Promise<string> {
  const path = join(directory, 'chromium')
  await writeFile(path, `#!/bin/sh\necho "$@" > ${directory}/arguments\nexec /bin/sleep ${seconds}\n`)
  await chmod(path, 0o755)
  return path
}

describe.runIf(process.platform === 'linux')('npm start', () => {
  it('prints its help for --help, and refuses unknown options', async () => {
    const helped = await start({}, ['--help'])
    expect(await helped.ended).toBe(0)
    expect(await helped.until(/./)).toMatch(/^Usage: listwright start/)
    const mistaken = await start({}, ['--prot', '80'])
    expect(await mistaken.ended).toBe(1)
    expect(await mistaken.until(/./)).toMatch(/--prot/)
  })

  it('prints the address if there is no display', async () => {
    const { child, until, ended } = await start({})
    expect(await until(/sign_in=/)).toMatch(
      /^Open Listwright in a browser .*: http:\/\/127\.0\.0\.1:\d+\/\?sign_in=/
    )
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  it('without Electron says so in one line, opens an application window, and ends with it', async () => {
    const programs = await temporaryDirectory()
    await mkdir(programs, { recursive: true })
    await fakeBrowser(programs)
    const { until, ended } = await start({ DISPLAY: ':99', PATH: programs })
    expect(await until(/browser/)).toMatch(/^The Electron runtime is missing[^\n]*\n$/)
    expect(await ended).toBe(0)
    const { stat } = await import('node:fs/promises')
    const given = await readFile(join(programs, 'arguments'), 'utf8')
    // The address signs in anyone who has it, and other users can read command lines.
    const [, page = ''] = /--app=file:\/\/(\S+) --user-data-dir=/.exec(given) ?? []
    expect(given).not.toContain('sign_in')
    expect(await readFile(page, 'utf8')).toMatch(/url=http:\/\/127\.0\.0\.1:\d+\/\?sign_in=\w{64}"/)
    expect((await stat(page)).mode & 0o777).toBe(0o600)
  })

  it('shows in a browser why it cannot start if there is no terminal', async () => {
    const programs = await temporaryDirectory()
    await fakeBrowser(programs)
    const data = await temporaryDirectory()
    await writeFile(join(data, 'listwright.db'), 'something <else>\n'.repeat(1000))
    const { until, ended } = await start({ DISPLAY: ':99', PATH: programs }, ['--data-dir', data])
    expect(await ended).toBe(1)
    const printed = (await until(/database/)).trim().split('\n').at(-1) ?? ''
    const given = join(programs, 'arguments')
    await expect.poll(() => existsSync(given)).toBe(true)
    const [, page = ''] = /--app=file:\/\/(\S+) --user-data-dir=/.exec(await readFile(given, 'utf8')) ?? []
    expect(await readFile(page, 'utf8')).toContain(`<p>${printed}</p>`)
    await rm(dirname(page), { recursive: true })
  })

  it('opens another window of a running application, on the page of a file or a link', async () => {
    const programs = await temporaryDirectory()
    await fakeBrowser(programs, 8)
    const data = ['--data-dir', await temporaryDirectory()]
    const first = await start({}, data)
    await first.until(/sign_in=/)
    const file = join(await temporaryDirectory(), 'people.csv')
    await writeFile(file, 'email\na@example.com\n')
    for (const [target, page] of [
      [file, '/import-file?file=people.csv'],
      // The same file again has the same name.
      [file, '/import-file?file=people.csv'],
      ['listwright://lists/7', '/lists/7'],
      ['listwright://evil.example/../../app/v1/session', '/'],
      ['listwright://lists/abc', '/']
    ] as const) {
      const second = await start({ DISPLAY: ':99', PATH: programs }, [...data, '--json', target])
      expect(await second.ended).toBe(0)
      const { address } = JSON.parse(await second.until(/sign_in/)) as { address: string }
      const { origin, searchParams } = new URL(address)
      expect(searchParams.get('page') ?? '/').toBe(page)
      const window = new SessionClient({ baseUrl: origin })
      await window.openLink(address)
      // The key of the command line is gone by now; the window is not.
      expect((await window.session()).status).toBe(200)
    }
    for (const [given, sentence] of [
      [programs, `${programs} is not a file that can be imported.`],
      ['file:///%zz', 'file:///%zz is not the address of a file on this computer.']
    ] as const) {
      const refused = await start({}, [...data, given])
      expect(await refused.ended).toBe(1)
      expect((await refused.until(/file/)).trim()).toBe(sentence)
    }
    const third = await start({}, [...data, '/no/such/file.csv'])
    expect(await third.ended).toBe(1)
    expect(await third.until(/file/)).toBe('The file /no/such/file.csv does not exist or cannot be read.\n')
    first.child.kill('SIGTERM')
  })

  it('prints the address when no browser can be opened either', async () => {
    const { until } = await start({ DISPLAY: ':99' })
    expect(await until(/sign_in=/)).toContain('Open Listwright in a browser')
  })
})
