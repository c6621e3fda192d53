import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const documents = [...globSync('*.md'), ...globSync('docs/**/*.md')].map((path) => path.replaceAll('\\', '/'))
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
const commands = Array.from(
  readFileSync('src-main/headless/listwright.ts', 'utf8').matchAll(/^ {2}(\w+): \{$/gm),
  ([, name = '']) => name
)

/** The text of a document without its blocks of code, and those blocks. */
function partsOf(path: string): { prose: string; shell: string[] } {
  const text = readFileSync(path, 'utf8')
  const shell = Array.from(text.matchAll(/^```sh\n([^]*?)^```$/gm), ([, lines = '']) =>
    lines.split('\n')
  ).flat()
  return { prose: text.replaceAll(/^```[^]*?^```$/gm, ''), shell }
}

/** The anchors of the headings of a document, as GitHub makes them. */
function anchorsOf(path: string): string[] {
  return Array.from(readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm), ([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-')
  )
}

describe.each(documents)('%s', (path) => {
  const { prose, shell } = partsOf(path)

  it('links to files and headings that are there', () => {
    const links = Array.from(prose.matchAll(/\]\((?!https?:)([^)\s]+)\)/g), ([, link = '']) => link)

    const broken = links.filter((link) => {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : join(dirname(path), file)
      return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor))
    })

    expect(broken).toEqual([])
  })

  it('mentions only source files and folders that exist', () => {
    const named = Array.from(
      prose.matchAll(/`([\w.-]+\/[\w./-]*\.(?:ts|vue|js|mjs|json|css|c))`/g),
      ([, name = '']) => name
    )
    const folders = Array.from(
      prose.matchAll(/`((?:src-main|src-renderer|test|tools|docs|\.github|\.ci)\/[\w./-]*)`/g),
      ([, name = '']) => name
    )
    const isThere = (name: string): boolean =>
      ['.', 'src-main', 'src-renderer', 'test'].some((root) => existsSync(join(root, name)))

    expect([...named, ...folders].filter((name) => !isThere(name))).toEqual([])
  })

  it('has commands that there are', () => {
    const unknown = shell.filter((line) => {
      const script = /\bnpm run (?:-s |--silent )?([\w:]+)/.exec(line)?.[1]
      const command = /(?:^|listwright -- |\s)listwright (\w+)/.exec(line)?.[1]
      const passed = /\bnpm run (?:-s |--silent )?listwright -- (\w+)/.exec(line)?.[1]
      return (
        (script !== undefined && scripts[script] === undefined) ||
        (command !== undefined && !commands.includes(command)) ||
        (passed !== undefined && !commands.includes(passed))
      )
    })

    expect(unknown).toEqual([])
  })
})

it('the README says what the product is in at most 120 lines', () => {
  expect(readFileSync('README.md', 'utf8').split('\n').length).toBeLessThanOrEqual(120)
})
