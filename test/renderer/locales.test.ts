import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createI18n } from 'vue-i18n'
import en from '../../src-renderer/locales/en.json'

const sources = globSync('src-renderer/**/*.{vue,ts}').map((path) => readFileSync(path, 'utf8'))
const keys = Object.entries(en).flatMap(([group, texts]) =>
  Object.keys(texts).map((name) => `${group}.${name}`)
)

it('every sentence of the window has its text', () => {
  const used = sources.flatMap((source) =>
    [...source.matchAll(/\bt\(\s*(?:[\w.]+ \? )?'([\w.]+)'(?: : '([\w.]+)')?/g)].flatMap(
      ([, first, second]) => (second ? [first, second] : [first])
    )
  )
  expect(used.length).toBeGreaterThan(100)
  expect(used.filter((key) => !keys.includes(key ?? ''))).toEqual([])
})

it('every text is used', () => {
  const all = sources.join('\n')
  // t(`status.${name}`) uses every text of its group.
  const groups = [...all.matchAll(/`(\w+)\.\$\{/g)].map(([, group]) => group)
  const unused = keys.filter((key) => !all.includes(`'${key}'`) && !groups.includes(key.split('.')[0]))
  expect(unused).toEqual([])
})

it('every text can be written, whatever signs it has', () => {
  const i18n = createI18n({
    legacy: false,
    locale: 'en',
    messages: { en },
    warnHtmlMessage: false
  })
  for (const key of keys) expect(i18n.global.t(key), key).not.toBe('')
})
