import fc from 'fast-check'
import { expect, it } from 'vitest'
import { matchesGlob } from '../../src-main/api/autoresponders/rules.ts'

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

it.each([
  ['a*b', 'ab', true],
  ['a*b', 'axxb', true],
  ['a*b', 'axx', false],
  ['a*b', 'xxb', false],
  ['ab*ba', 'aba', false],
  ['*', '', true],
  ['welcome', 'Welcome', true],
  ['welcome', 'welcome back', false],
  [' *mail ', 'Second MAIL', true],
  ['*b*b', 'ab', false],
  ['*b*', 'ab', true]
])('the pattern %j and the name %j: %s', (pattern, name, matches) => {
  expect(matchesGlob(pattern, name)).toBe(matches)
})

it(`a pattern matches what a naive search finds (SEED=${seed})`, () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 })
  fc.assert(
    fc.property(text, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 }), (pattern, name) => {
      expect(matchesGlob(pattern, name)).toBe(matchesSlowly(pattern, name))
    }),
    { numRuns: 2000, seed }
  )
})

function matchesSlowly(pattern: string, name: string): boolean {
  if (pattern === '') return name === ''
  if (pattern.startsWith('*')) {
    const rest = pattern.slice(1)
    return Array.from({ length: name.length + 1 }, (_, at) => name.slice(at)).some((tail) =>
      matchesSlowly(rest, tail)
    )
  }
  return name.startsWith(pattern.charAt(0)) && matchesSlowly(pattern.slice(1), name.slice(1))
}
