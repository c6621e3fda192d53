import { ESLint } from 'eslint'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configs } from 'typescript-eslint'
import { describe, expect, it } from 'vitest'

const repository = join(import.meta.dirname, '../..')

/** Runs oxlint as `npm run lint:types` does. */
function oxlint(...args: string[]): string {
  const command = join(repository, 'node_modules/oxlint/bin/oxlint')
  return spawnSync(process.execPath, [command, ...args], { cwd: repository, encoding: 'utf8' }).stdout
}

describe('oxlint', () => {
  it('checks by types in modules what ESLint checks by types in components', async () => {
    const config = (await new ESLint({ cwd: repository }).calculateConfigForFile('src-renderer/App.vue')) as {
      rules: Partial<Record<string, [level: number]>>
    }
    const byTypes = Object.keys(configs.disableTypeChecked.rules ?? {})
      .filter((rule) => (config.rules[rule]?.[0] ?? 0) > 0)
      .map((rule) => rule.replace('@typescript-eslint/', 'typescript/'))
    const { rules } = JSON.parse(oxlint('--print-config', '--type-aware')) as { rules: object }
    expect(byTypes.length).toBeGreaterThan(20)
    expect(Object.keys(rules).sort()).toEqual(byTypes.sort())
  })

  it('finds a promise that nobody waits for', () => {
    const directory = mkdtempSync(join(import.meta.dirname, 'lint-'))
    try {
      const path = join(directory, 'floating.ts')
      writeFileSync(path, 'export function begin(): void {\n  Promise.resolve()\n}\n')
      expect(oxlint('--type-aware', '--format', 'unix', path)).toContain('typescript(no-floating-promises)')
    } finally {
      rmSync(directory, { recursive: true })
    }
  })
})
