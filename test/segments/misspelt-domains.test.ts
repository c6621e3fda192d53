import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { likelyDomain } from '../../src-main/segments/misspelt-domains.ts'

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

describe('a misspelt domain', () => {
  it.each([
    ['gmial.com', 'gmail.com'],
    ['gmai.com', 'gmail.com'],
    ['gmaill.com', 'gmail.com'],
    ['gnail.com', 'gmail.com'],
    ['gmail.co', 'gmail.com'],
    ['mgail.com', 'gmail.com'],
    ['yaho.co.uk', 'yahoo.co.uk'],
    ['hotmial.de', 'hotmail.de'],
    ['gmail.comm', 'gmail.com'],
    ['gmail.om', 'gmail.com'],
    ['gmail.ocm', 'gmail.com'],
    ['hotmial.com', 'hotmail.com'],
    ['yaho.com', 'yahoo.com'],
    ['outlok.com', 'outlook.com'],
    ['t-onlin.de', 't-online.de'],
    ['live.con', 'live.com'],
    ['aol.con', 'aol.com'],
    ['gmx.ner', 'gmx.net']
  ])('%s probably means %s', (written, meant) => {
    expect(likelyDomain(written)).toBe(meant)
  })

  it.each([
    // Correct domains that resemble another provider's domain.
    ...[
      'gmail.com',
      'ymail.com',
      'mail.com',
      'gmx.de',
      'gmx.com',
      'live.de',
      'yahoo.ca',
      'hotmail.nl',
      'wp.pl'
    ],
    // The right names of providers in other countries.
    ...[
      'yahoo.co.id',
      'yahoo.com.tr',
      'yahoo.co.il',
      'yahoo.dk',
      'yahoo.ie',
      'hotmail.gr',
      'outlook.ie',
      'gmx.it'
    ],
    // Names of their own, however close.
    ...['zmail.com', 'email.com', 'fmail.com', 'cloud.com', 'love.com', 'line.com', 'five.com', 'live.nz'],
    // Too far from any, or in two ways at once.
    ...[
      'example.com',
      'gail.org',
      'gmy.de',
      'wb.pl',
      'gmmaiil.com',
      'gmial.con',
      'gmxyl.com',
      'gmiax.com',
      'gmaxy.com',
      'gmalx.com',
      'gmxil1.com',
      'gmailxy.com',
      'gm.com',
      'sub.gmail.con',
      'constructor.com',
      'constructor.con',
      'com',
      '.com',
      ''
    ]
  ])('%s is not taken for one', (written) => {
    expect(likelyDomain(written)).toBeNull()
  })

  it(`is recognized after any one slip of the finger (SEED=${seed})`, () => {
    const name = 'googlemail'
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: name.length - 2 }),
        fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789-'),
        fc.constantFrom('left out', 'too many', 'wrong', 'swapped'),
        (at, letter, slip) => {
          const [before, here, after] = [name.slice(0, at), name.charAt(at), name.slice(at + 1)]
          const written = {
            'left out': before + after,
            'too many': before + letter + here + after,
            wrong: before + letter + after,
            swapped: before + after.charAt(0) + here + after.slice(1)
          }[slip]
          const meant = written === name ? null : 'googlemail.com'
          expect(likelyDomain(`${written}.com`)).toBe(meant)
        }
      ),
      { seed }
    )
  })
})
