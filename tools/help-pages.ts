import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Marked, type Tokens } from 'marked'
import type { Plugin } from 'vite'
import { helpPageNames } from '../src-renderer/help/page-names.ts'
import type { Language } from '../src-main/base/languages.ts'
import type { HelpPage } from '../src-renderer/help/help-page.ts'

// The window's Help is docs/user: the same files, made into HTML when the window is built.

/** Where the pages of each language are. */
export const helpDirectories: Record<Language, string> = { en: 'docs/user', de: 'docs/user/de' }

const prefix = 'virtual:help/'

/** Resolves virtual:help/LANGUAGE, whose default export is the pages of Help in that language. */
export function helpPages(): Plugin {
  return {
    name: 'help-pages',
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith(`\0${prefix}`)) return null
      const directory = helpDirectories[id.slice(prefix.length + 1) as Language]
      const pictures: string[] = []
      const pages = helpPageNames.map((name) => {
        const path = resolve(directory, `${name}.md`)
        this.addWatchFile(path)
        return pageOf(name, path, pictures)
      })
      // A picture is a file of its own, whose address is known to the bundler alone.
      const imports = pictures.map((path, index) => `import picture${index} from ${JSON.stringify(path)}`)
      const text = JSON.stringify(pages).replaceAll(/@picture(\d+)@/g, '" + picture$1 + "')
      return `${imports.join('\n')}\nexport default ${text}`
    }
  }
}

/** @param pictures paths of the pictures so far; those of the page are added */
export function pageOf(name: string, path: string, pictures: string[]): HelpPage {
  const sections: HelpPage['sections'] = []
  let title = ''
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading): string {
        const html = this.parser.parseInline(tokens)
        if (depth === 1) {
          title = text
          return ''
        }
        const id = anchorOf(text)
        if (depth === 2) sections.push({ id, title: text })
        return `<h${depth} id="${id}">${html}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link): string {
        const html = this.parser.parseInline(tokens)
        if (/^https?:/.test(href)) return `<a href="${href}" target="_blank" rel="noreferrer">${html}</a>`
        const [, target = '', anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
        const isPage = (helpPageNames as readonly string[]).includes(target)
        if (target !== '' && !isPage) throw new Error(`${path} links to ${href}, which is no page of Help`)
        if (href.startsWith('#')) return `<a href="${href}">${html}</a>`
        // Documents for developers are not in the window.
        return isPage ? `<a href="/help/${target}${anchor}">${html}</a>` : html
      },
      image({ href, text }: Tokens.Image): string {
        const picture = resolve(dirname(path), href)
        if (!pictures.includes(picture)) pictures.push(picture)
        return `<img src="@picture${pictures.indexOf(picture)}@" alt="${text}">`
      }
    }
  })
  const html = marked.parse(readFileSync(path, 'utf8'), { async: false })
  return { name, title, sections, html }
}

/** The anchor of a heading, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
}
