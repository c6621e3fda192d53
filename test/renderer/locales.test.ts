import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createI18n } from 'vue-i18n'
import { auditedEntities } from '../../src-main/api/record-kinds.ts'
import { languages } from '../../src-main/base/languages.ts'
import { permissionActions } from '../../src-main/http/caller.ts'
import en from '../../src-renderer/locales/en.json'

interface Texts {
  [name: string]: string | Texts
}

function textsOf(texts: Texts, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([name, text]) =>
      typeof text === 'string' ? [[prefix + name, text]] : [...textsOf(text, `${prefix}${name}.`)]
    )
  )
}

const sources = globSync('src-renderer/**/*.{vue,ts}').map((path) => readFileSync(path, 'utf8'))
const english = textsOf(en)
const keys = [...english.keys()]

function textsIn(language: string): Texts {
  return JSON.parse(readFileSync(`src-renderer/locales/${language}.json`, 'utf8')) as Texts
}

it('every sentence of the window has its text', () => {
  const used = sources.flatMap((source) =>
    [...source.matchAll(/\bt\(\s*(?:[\w.]+ \? )?'([\w.]+)'(?: : '([\w.]+)')?/g)].flatMap(
      ([, first, second]) => (second ? [first, second] : [first])
    )
  )
  expect(used.length).toBeGreaterThan(100)
  expect(used.filter((key) => !english.has(key ?? ''))).toEqual([])
})

it('every text is used', () => {
  const all = sources.join('\n')
  // t(`status.${name}`) uses every text of its group.
  const groups = [...all.matchAll(/`([\w.]+)\.\$\{/g)].map(([, group]) => group)
  const isInGroup = (key: string): boolean => groups.includes(key.slice(0, key.lastIndexOf('.')))
  expect(keys.filter((key) => !all.includes(`'${key}'`) && !isInGroup(key))).toEqual([])
})

it('every kind of record in the audit log has a name', () => {
  expect(auditedEntities.filter((entity) => !english.has(`auditKind.${entity}`))).toEqual([])
})

it('every permission has a name', () => {
  const actions = [...new Set(Object.values(permissionActions).flat())]

  expect(
    Object.keys(permissionActions).filter((key) => !english.has(`permissionKey.${key.replace('/', '_')}`))
  ).toEqual([])
  expect(actions.filter((action) => !english.has(`permissionAction.${action}`))).toEqual([])
})

it.each(Object.keys(languages))(
  'every text of the language %s can be rendered, whatever special characters it has',
  (locale) => {
    const messages = { [locale]: textsIn(locale) }
    const i18n = createI18n({ legacy: false, locale, messages, warnHtmlMessage: false })
    for (const key of keys) expect(i18n.global.t(key), key).not.toBe('')
  }
)

it.each(Object.keys(languages).filter((language) => language !== 'en'))(
  'the language %s has each text of English, with the same values and as many plural forms',
  (language) => {
    const texts = textsOf(textsIn(language))
    expect([...texts.keys()]).toEqual(keys)
    const shapeOf = (text = ''): unknown => [
      text.replaceAll("{'|'}", '').split('|').length,
      [...new Set(text.match(/\{[^}]*\}|%%\w+%%/g))].sort()
    ]
    for (const [key, text] of english) expect([key, shapeOf(texts.get(key))]).toEqual([key, shapeOf(text)])
  }
)
