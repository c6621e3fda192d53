import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { moduleOf } from './component-module.ts'

// Checks by types what components do in their scripts. oxlint reads no components, and ESLint, which does, takes minutes: for each of them
// it works out the types of all others again. So their scripts are written out as modules, into a copy of the sources.

const copy = '.components'

rmSync(copy, { recursive: true, force: true })
mkdirSync(copy)
for (const folder of ['src-main', 'src-renderer']) cpSync(folder, join(copy, folder), { recursive: true })
const modules = globSync('src-renderer/**/*.vue').map((path) => {
  const module = join(copy, `${path}.ts`)
  writeFileSync(module, moduleOf(readFileSync(path, 'utf8')))
  return module
})
writeFileSync(
  join(copy, 'tsconfig.json'),
  JSON.stringify({ extends: '../tsconfig.json', include: ['src-main', 'src-renderer'] })
)

const oxlint = join(dirname(createRequire(import.meta.url).resolve('oxlint/package.json')), 'bin/oxlint')
const { status, stdout, stderr } = spawnSync(
  process.execPath,
  [oxlint, '--type-aware', '--deny-warnings', '--no-ignore', ...modules],
  { encoding: 'utf8' }
)
process.stderr.write(stderr)
// Lines are where they are in the component.
process.stdout.write(stdout.replaceAll(/\.components[\\/](\S+\.vue)\.ts/g, '$1'))
rmSync(copy, { recursive: true })
process.exitCode = status ?? 1
