import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryDirectory } from '../support/application.ts'
import { entryPoint } from '../support/built.ts'

/** Runs `npm start` where nothing can be fetched, with the programs of one directory only. */
async function start(environment: Record<string, string>, args: string[] = []) {
  const home = await temporaryDirectory()
  const child = spawn(process.execPath, [entryPoint('start'), ...args], {
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
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return {
    child,
    until: async (pattern: RegExp) => {
      while (!pattern.test(output) && child.exitCode === null) await pause(20)
      return output
    }
  }
}

/** A program of this name that notes its arguments and then lives for a while. */
async function fakeBrowser(directory: string): Promise<string> {
  const path = join(directory, 'chromium')
  await writeFile(path, `#!/bin/sh\necho "$@" > ${directory}/arguments\nexec /bin/sleep 1\n`)
  await chmod(path, 0o755)
  return path
}

describe.runIf(process.platform === 'linux')('npm start', () => {
  it('tells of itself for --help, and starts with no option that it does not know', async () => {
    const helped = await start({}, ['--help'])
    expect((await once(helped.child, 'close'))[0]).toBe(0)
    expect(await helped.until(/./)).toMatch(/^Usage: npm start/)
    const mistaken = await start({}, ['--prot', '80'])
    expect((await once(mistaken.child, 'close'))[0]).toBe(1)
    expect(await mistaken.until(/./)).toMatch(/--prot/)
  })

  it('prints the address where there is no display', async () => {
    const { child, until } = await start({})
    expect(await until(/sign_in=/)).toMatch(
      /^Open Listwright in a browser .*: http:\/\/127\.0\.0\.1:\d+\/\?sign_in=/
    )
    child.kill('SIGTERM')
    expect((await once(child, 'exit'))[0]).toBe(0)
  })

  it('without Electron says so in one line, opens an application window, and ends with it', async () => {
    const programs = await temporaryDirectory()
    await mkdir(programs, { recursive: true })
    await fakeBrowser(programs)
    const { child, until } = await start({ DISPLAY: ':99', PATH: programs })
    expect(await until(/browser/)).toMatch(/^The Electron runtime is missing[^\n]*\n$/)
    expect((await once(child, 'exit'))[0]).toBe(0)
    const { readFile, stat } = await import('node:fs/promises')
    const given = await readFile(join(programs, 'arguments'), 'utf8')
    // The address signs in whoever has it, and command lines are no secret.
    const [, page = ''] = /--app=file:\/\/(\S+) --user-data-dir=/.exec(given) ?? []
    expect(given).not.toContain('sign_in')
    expect(await readFile(page, 'utf8')).toMatch(/url=http:\/\/127\.0\.0\.1:\d+\/\?sign_in=\w{64}"/)
    expect((await stat(page)).mode & 0o777).toBe(0o600)
  })

  it('prints the address when no browser can be opened either', async () => {
    const { until } = await start({ DISPLAY: ':99' })
    expect(await until(/sign_in=/)).toContain('Open Listwright in a browser')
  })
})
