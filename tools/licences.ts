import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Plugin } from 'vite'
import type { Library } from '../src-main/workbench/about/endpoints.ts'

// Which libraries are in the application, with their licences. What is bundled is known to the bundler alone.

/** Licenses, or their texts, that packages leave out. */
const leftOut: Record<string, { licence: string; text: string }> = {
  '@iconify-json/lucide': { licence: 'ISC', text: 'lucide.txt' },
  'abstract-logging': { licence: 'MIT', text: 'abstract-logging.txt' },
  'lazy-val': { licence: 'MIT', text: 'lazy-val.txt' },
  'pg-types': { licence: 'MIT', text: 'pg-types.txt' },
  pgpass: { licence: 'MIT', text: 'pgpass.txt' },
  'vaul-vue': { licence: 'MIT', text: 'vaul-vue.txt' }
}

/** Packages that are in the window without a module of theirs: a stylesheet, a font, and pictures. */
const withoutModules = ['@fontsource-variable/inter', '@iconify-json/lucide', 'tailwindcss']

/** Writes licences.json next to the build: every bundled package, and those that are not bundled. */
export function licences(others: { external?: string[]; hasStyles?: boolean } = {}): Plugin {
  return {
    name: 'licences',
    generateBundle(_options, bundle) {
      const directories = new Set(
        [...(others.external ?? []), ...(others.hasStyles ? withoutModules : [])].map((name) =>
          join('node_modules', name)
        )
      )
      for (const part of Object.values(bundle)) {
        if (part.type !== 'chunk') continue
        for (const id of part.moduleIds) {
          const directory = packageDirectoryOf(id)
          if (directory) directories.add(directory)
        }
      }
      const packages = [...directories].map(packageAt)
      packages.sort((a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'))
      this.emitFile({
        type: 'asset',
        fileName: 'licences.json',
        source: JSON.stringify(packages)
      })
    }
  }
}

/** The innermost directory of node_modules that a module lies in, such as node_modules/@nuxt/ui. */
function packageDirectoryOf(id: string): string | null {
  const path = id.replace(/^\0/, '').split('?')[0]?.replaceAll('\\', '/') ?? ''
  const [, directory] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
  return directory !== undefined && existsSync(join(directory, 'package.json')) ? directory : null
}

interface PackageJson {
  name: string
  version: string
  license?: string | { type: string }
  licenses?: { type: string }[]
}

/** @throws Error for a package without a license, so that nothing is distributed without one */
function packageAt(directory: string): Library {
  const { name, version, license, licenses } = JSON.parse(
    readFileSync(join(directory, 'package.json'), 'utf8')
  ) as PackageJson
  const [file] = globSync('{LICENSE,LICENCE,License,license,licence,COPYING,OFL}{,.*,-*}', { cwd: directory })
    .filter((path) => !/\.(?:js|ts|json)$/.test(path))
    .sort((a, b) => basename(a).length - basename(b).length)
  const kept = leftOut[name]
  const licence =
    (typeof license === 'string' ? license : license?.type) ??
    licenses?.map(({ type }) => type).join(' OR ') ??
    kept?.licence
  const path = file === undefined ? kept && join('resources/licences', kept.text) : join(directory, file)
  if (licence === undefined || path === undefined)
    throw new Error(`${name} tells no licence, or brings no text of it: add it to tools/licences.ts`)
  return { name, version, licence, text: readFileSync(path, 'utf8').trim() }
}
