import { describe, expect, it } from 'vitest'
import { guessCharacterSet, sureCharacterSet } from '../../src-main/contact-files/formats/character-set.ts'
import { roundsToRun } from '../support/long.ts'
import { seededRandom } from '../support/random.ts'
import { encode } from './encode.ts'
import { nameLists } from './name-lists.ts'

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e6))
const random = seededRandom(seed)
const below = (limit: number): number => Math.floor(random() * limit)

/** A list of 20 to 200 people with names of a language. */
function listIn(names: readonly string[]): string {
  const name = (): string => names[below(names.length)] ?? ''
  const rows = Array.from(
    { length: 20 + below(180) },
    (_, row) => `person${row}@example.org,${name()},${name()},${row % 3 === 0 ? 'yes' : 'no'}`
  )
  return `email,name,city,customer\n${rows.join('\n')}\n`
}

describe('the character set of a list of names', () => {
  it(
    'is guessed right in at least 95 of 100 lists in 24 languages, and never wrong above the stated confidence',
    { timeout: 120_000 },
    () => {
      console.log(`character sets: SEED=${seed}`)
      const wrong: string[] = []
      let asked = 0
      let right = 0
      const rounds = roundsToRun(240, 2400)
      const languages = Object.entries(nameLists)
      for (let round = 0; round < rounds; round++) {
        const [language, { names, characterSets }] = languages[round % languages.length] ??
          languages[0] ?? ['', { names: [], characterSets: [] }]
        const characterSet = characterSets[below(characterSets.length)] ?? 'utf-8'
        const bytes = encode(listIn(names), characterSet)
        const text = new TextDecoder(characterSet).decode(bytes)
        const guess = guessCharacterSet(bytes)
        const isRight = new TextDecoder(guess.characterSet).decode(bytes) === text
        if (isRight) right++
        if (guess.confidence < sureCharacterSet) asked++
        else if (!isRight) wrong.push(`${language} in ${characterSet}: ${guess.characterSet}`)
      }
      expect(wrong).toEqual([])
      expect(right / rounds).toBeGreaterThanOrEqual(0.95)
      expect(asked / rounds).toBeLessThan(0.1)
    }
  )

  it.each([
    ['UTF-8 with a mark', [0xef, 0xbb, 0xbf, 0x61], 'utf-8'],
    ['UTF-16 with a mark', [0xff, 0xfe, 0x61, 0], 'utf-16le'],
    ['UTF-16 without a mark', [0x61, 0, 0x62, 0, 0x63, 0, 0x0a, 0], 'utf-16le'],
    ['UTF-16 the other way round', [0, 0x61, 0, 0x62, 0, 0x63, 0, 0x0a], 'utf-16be'],
    ['ASCII', [0x61, 0x62, 0x63], 'utf-8'],
    ['nothing', [], 'utf-8']
  ])('is recognized in %s', (_, bytes, characterSet) => {
    expect(guessCharacterSet(Uint8Array.from(bytes))).toMatchObject({
      characterSet,
      confidence: expect.any(Number) as number
    })
  })

  it('is asked for where UTF-8 is damaged', () => {
    const damaged = Buffer.concat([
      Buffer.from('Jürgen,Köln\nMüller,Zürich\nGrößer,Fürth\n'),
      Buffer.from([0xfc, 0x0a])
    ])
    expect(guessCharacterSet(damaged).confidence).toBeLessThan(sureCharacterSet)
  })
})
