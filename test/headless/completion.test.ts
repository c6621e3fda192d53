import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { entryPoint } from '../support/built.ts'

const script = join(import.meta.dirname, '../../resources/completion/listwright.bash')

function offered(...words: string[]): string[] {
  const line = ['listwright', ...words].map((word) => `'${word}'`).join(' ')
  const text = execFileSync('bash', [
    '-c',
    `compopt() { :; }; source '${script}'; cd "$(mktemp -d)"
     COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _listwright; printf '%s\\n' "\${COMPREPLY[@]}"`
  ]).toString()
  return text.split('\n').filter(Boolean)
}

function help(...args: string[]): string {
  return execFileSync(process.execPath, [entryPoint, ...args, '--help']).toString()
}

const commands = ['start', 'serve', 'key', 'check', 'backup', 'sync', 'import', 'events', 'gate']

describe.runIf(process.platform === 'linux')('completion in bash', () => {
  it('offers every command that the help names', () => {
    const named = help()
      .split('\n')
      .flatMap((line) => /^(?:Usage:)?\s+(?:listwright )?(\w+)\s/.exec(line)?.[1] ?? [])
      .filter((word) => commands.includes(word))
    expect([...new Set(named)].sort()).toEqual([...commands].sort())
    expect(
      offered('')
        .filter((word) => !word.startsWith('-'))
        .sort()
    ).toEqual([...commands].sort())
  })

  it.each(['key', 'backup', 'sync'])('offers what %s does, and nothing else', (command) => {
    const actions = help(command)
      .split('\n')
      .filter((line) => line.includes(`listwright ${command} `))
      .flatMap((line) => {
        const [, rest = ''] = line.split(`listwright ${command} `)
        // key create NAME | list | revoke ID, and sync run|status|…
        const all = rest.includes(' | ') ? rest.split(' | ') : (rest.split(' ')[0] ?? '').split('|')
        return all.map((each) => each.split(' ')[0] ?? '')
      })
    const words = offered(command, '').filter((word) => /^[a-z]+$/.test(word))
    expect(words.toSorted()).toEqual([...new Set(actions)].toSorted())
  })

  it.each(commands)('offers the options of %s', (command) => {
    const options = [...help(command).matchAll(/--[a-z-]+/g)].map(([option]) => option)
    const completions = offered(command, '--')
    for (const option of options) expect(completions).toContain(option)
    for (const option of completions) expect([...options, '--help']).toContain(option)
  })

  it('offers only what begins like the word', () => {
    expect(offered('backup', 're')).toEqual(['restore', 'recover'])
  })
})
