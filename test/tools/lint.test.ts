import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { configs } from 'typescript-eslint'
import { describe, expect, it } from 'vitest'
import { moduleOf } from '../../tools/component-module.ts'

const repository = join(import.meta.dirname, '../..')

function oxlint(...args: string[]): string {
  const command = join(repository, 'node_modules/oxlint/bin/oxlint')
  return spawnSync(process.execPath, [command, ...args], { cwd: repository, encoding: 'utf8' }).stdout
}

function faultsIn(name: string, text: string): string {
  const directory = mkdtempSync(join(import.meta.dirname, 'lint-'))
  try {
    const path = join(directory, name)
    writeFileSync(path, text)
    return oxlint('--type-aware', '--format', 'unix', path)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

describe('oxlint', () => {
  it('enables exactly the type-aware rules that typescript-eslint recommends, except require-await', () => {
    const recommended = configs.recommendedTypeChecked.flatMap((config) => Object.keys(config.rules ?? {}))
    const needTypes = new Set(Object.keys(configs.disableTypeChecked.rules ?? {}))
    const byTypes = recommended
      .filter((rule) => needTypes.has(rule) && rule !== '@typescript-eslint/require-await')
      .map((rule) => rule.replace('@typescript-eslint/', 'typescript/'))
    const { rules } = JSON.parse(oxlint('--print-config', '--type-aware')) as { rules: object }
    expect(byTypes.length).toBeGreaterThan(20)
    expect(Object.keys(rules).sort()).toEqual(byTypes.sort())
  })

  it('finds a promise that is not awaited', () => {
    expect(faultsIn('floating.ts', 'export function begin(): void {\n  Promise.resolve()\n}\n')).toContain(
      'typescript(no-floating-promises)'
    )
  })

  it('finds a fault in a component, with its line', () => {
    const component = `<template>\n  <p>{{ row.id }}</p>\n</template>\n
<script setup lang="ts" generic="Row extends { id: number }">
defineProps<{ row: Row }>()
function begin(): void {
  Promise.resolve()
}
</script>\n`
    const found = faultsIn('Floating.vue.ts', moduleOf(component))
    expect(found).toMatch(/Floating\.vue\.ts:8:3: .*typescript\(no-floating-promises\)/)
    expect(found).toContain('1 problem')
  })
})
