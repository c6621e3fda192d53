import { execFile } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { languages } from '../../src-main/base/languages.ts'
import { entryPoint } from '../support/built.ts'

/** Verifies a backup that does not exist. */
function failing(
  args: string[],
  environment: Record<string, string> = {}
): Promise<{ stdout: string; stderr: string }> {
  const command = [entryPoint, 'backup', 'verify', '/nowhere/backup.db', ...args]
  const env = { ...process.env, LC_ALL: '', LC_MESSAGES: '', LANG: '', ...environment }
  return new Promise((resolve) =>
    execFile(process.execPath, command, { env }, (_, stdout, stderr) => resolve({ stdout, stderr }))
  )
}

describe('why a command failed', () => {
  const german = 'Die Datei /nowhere/backup.db gibt es nicht.\n'
  const english = 'There is no file /nowhere/backup.db.\n'

  it('is in the language of --language, or else of the environment', async () => {
    const messageOf = async (...given: Parameters<typeof failing>): Promise<string> =>
      (await failing(...given)).stderr

    expect(await messageOf([])).toBe(english)
    expect(await messageOf(['--language', 'de'])).toBe(german)
    expect(await messageOf(['--language=en'], { LANG: 'de_AT.UTF-8' })).toBe(english)
    expect(await messageOf([], { LANG: 'de_AT.UTF-8' })).toBe(german)
    expect(await messageOf([], { LC_ALL: 'fr_FR.UTF-8', LANG: 'de_AT.UTF-8' })).toBe(english)
  })

  it('is English for programs', async () => {
    const { stdout } = await failing(['--json', '--language', 'de'])

    expect(JSON.parse(stdout)).toEqual({ error: english.trim() })
  })

  it('is the list of languages if --language names an unknown one', async () => {
    const { stderr } = await failing(['--language', 'xx'])

    expect(stderr).toBe(`--language must be one of ${Object.keys(languages).join(', ')}, not "xx"\n`)
  })
})
