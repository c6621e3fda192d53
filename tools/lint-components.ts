import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { moduleOf } from './component-module.ts'

// Runs the rules that need types on the scripts of components. oxlint cannot read components; ESLint can, but takes minutes, because it
// works out all types again for each of them. So each script is written out as a module, into a copy of the sources.

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

const { status, stdout, stderr } = spawnSync(
  process.execPath,
  ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings', '--no-ignore', ...modules],
  { encoding: 'utf8' }
)
process.stderr.write(stderr)
// Messages name the component itself, in which the line numbers are the same.
process.stdout.write(stdout.replaceAll(/\.components[\\/](\S+\.vue)\.ts/g, '$1'))
rmSync(copy, { recursive: true })
process.exitCode = status ?? 1
