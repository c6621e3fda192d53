import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const rules = readFileSync('docs/api.md', 'utf8')
const sections = new Set(Array.from(rules.matchAll(/^## (.+)$/gm), ([, title]) => title))

/** Each citation of a section in the sources; a comment may break the line within it. */
const citations = globSync(['src-main/**/*.ts', 'src-renderer/**/*.{ts,vue}']).flatMap((path) =>
  Array.from(
    readFileSync(path, 'utf8').matchAll(/docs\/api\.md,\s+(?:(?:\*|\/\/)\s*)?"([^"]+)"/g),
    ([, section]) => ({ path, section })
  )
)

it('every section of the rules of the API that a comment cites is there', () => {
  expect(citations.length).toBeGreaterThan(100)
  expect(citations.filter(({ section }) => !sections.has(section))).toEqual([])
})

it('no comment cites a document that the repository does not hold', () => {
  const cited = globSync(['src-main/**/*.ts', 'src-renderer/**/*.{ts,vue}']).filter((path) =>
    /\b(spec|supplement)\b[,:]? (section|")/i.test(readFileSync(path, 'utf8'))
  )
  expect(cited).toEqual([])
})

it('each promise in docs/guarantees.md names a test that is there, and files that its command runs', () => {
  const rows = readFileSync('docs/guarantees.md', 'utf8')
    .split('\n')
    .filter((line) => /^\| [A-Z]/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  expect(rows.length).toBeGreaterThan(20)
  for (const [, promise, name = '', command = ''] of rows) {
    const paths = Array.from(command.matchAll(/test\/[\w./-]+/g), ([path]) => path)
    const files = paths.flatMap((path) => globSync(path.endsWith('.ts') ? path : `${path}/*.test.ts`))
    expect(files.length, promise).toBeGreaterThan(0)
    const texts = files.map((file) => readFileSync(file, 'utf8'))
    expect(
      texts.some((text) => text.includes(name)),
      `${promise} (${name})`
    ).toBe(true)
  }
})
