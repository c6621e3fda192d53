import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { languages } from '../../src-main/base/languages.ts'
import { helpPageNames } from '../../src-renderer/help/page-names.ts'
import { helpDirectories, pageOf } from '../../tools/help-pages.ts'

const directory = mkdtempSync(join(tmpdir(), 'listwright-help-'))
afterAll(() => rmSync(directory, { recursive: true }))

function pageWith(markdown: string) {
  const path = join(directory, 'import.md')
  writeFileSync(path, markdown)
  const pictures: string[] = []
  return { ...pageOf('import', path, pictures), pictures }
}

describe('a page of Help', () => {
  it('has its title and its sections with their anchors', () => {
    expect(pageWith('# Import a file\n\n## Daten & Größen\n\nText.')).toMatchObject({
      title: 'Import a file',
      sections: [{ id: 'daten--größen', title: 'Daten & Größen' }],
      html: '<h2 id="daten--größen">Daten &amp; Größen</h2>\n<p>Text.</p>\n'
    })
  })

  it('links to other pages of Help, and opens other sites outside', () => {
    const { html } = pageWith('# A\n\n[Sync](sync.md#x), [age](https://age-encryption.org), [API](../api.md)')

    expect(html).toBe(
      '<p><a href="/help/sync#x">Sync</a>, ' +
        '<a href="https://age-encryption.org" target="_blank" rel="noreferrer">age</a>, API</p>\n'
    )
  })

  it('has pictures whose addresses the bundler fills in', () => {
    const { html, pictures } = pageWith('# A\n\n![The proposal](pictures/a.png)')

    expect(html).toContain('<img src="@picture0@" alt="The proposal">')
    expect(pictures).toEqual([resolve(directory, 'pictures/a.png')])
  })
})

describe.each(Object.keys(languages) as (keyof typeof languages)[])('Help in %s', (language) => {
  const folder = helpDirectories[language]

  it('has every page, and no other', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.md'))

    expect(files.toSorted()).toEqual(helpPageNames.map((name) => `${name}.md`).toSorted())
  })

  it('has pictures that are there', () => {
    const pictures: string[] = []
    for (const name of helpPageNames) pageOf(name, resolve(folder, `${name}.md`), pictures)

    expect(pictures.filter((path) => !existsSync(path))).toEqual([])
  })
})
