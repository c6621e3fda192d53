import { describe, expect, it } from 'vitest'
import { blankInside, readAddresses } from '../../src-main/contact-files/values/addresses.ts'
import {
  possibleDayOrders,
  possibleOrders,
  readDate,
  readDayOfYear,
  writeDate
} from '../../src-main/contact-files/values/dates.ts'
import { numberLoss, survivesAsNumber } from '../../src-main/contact-files/values/numbers.ts'
import { hasLostDigits, tidyCell, withoutTextMark } from '../../src-main/contact-files/values/tidy.ts'
import { areTruths, readTruth } from '../../src-main/contact-files/values/truth.ts'
import { fieldCode, fieldsWithSameCode, freeFieldName } from '../../src-main/contact-files/field-names.ts'
import { datesOf } from '../../src-main/contact-files/date-orders.ts'
import { textOf } from '../support/refusals.ts'

const day = (text: string, order: 'mdy' | 'dmy' = 'mdy'): string | null => {
  const wall = readDate(text, order)
  return wall && writeDate(wall)
}

describe('a date of a contact file', () => {
  it.each([
    ['12.04.2022', '2022-04-12'],
    ['2.4.22', '2022-04-02'],
    ['2. 4. 2022', '2022-04-02'],
    ['12.04.2022 09:30', '2022-04-12 09:30:00'],
    ['2022/04/12', '2022-04-12'],
    ['2022-4-12', '2022-04-12'],
    ['2022.04.12', '2022-04-12'],
    ['20220412', '2022-04-12'],
    ['20220412T093000Z', '2022-04-12 09:30:00'],
    ['2022-04-12T09:30:00.000Z', '2022-04-12 09:30:00+00:00'],
    ['2022-04-12 09:30:00 UTC', '2022-04-12 09:30:00+00:00'],
    ['2022-04-12 09:30:00.123456+02', '2022-04-12 09:30:00+02:00'],
    ['Tue, 12 Apr 2022 09:30:00 +0000', '2022-04-12 09:30:00+00:00'],
    ['Di., 12.04.2022', '2022-04-12'],
    ['Tuesday, April 12, 2022', '2022-04-12'],
    ['12-Apr-22', '2022-04-12'],
    ['12. April 2022', '2022-04-12'],
    ['12. März 2022', '2022-03-12'],
    ['1st May 2022', '2022-05-01'],
    ['Apr 12 2022 9:30AM', '2022-04-12 09:30:00'],
    ['12 avril 2022', '2022-04-12'],
    ['3 juin 2022', '2022-06-03'],
    ['7 de mayo de 2022', '2022-05-07'],
    ['2022年4月12日', '2022-04-12'],
    ['1649755800', '2022-04-12 09:30:00+00:00'],
    ['44663', '2022-04-12 00:00:00+00:00']
  ])('%j is read as %j', (text, iso) => {
    expect(day(text)).toBe(iso)
  })

  it.each(['n/a', '31.02.2022', '13/13/2022', '2022-13-01', 'April', '12 foo 2022', '1', ''])(
    'is not seen in %j',
    (text) => {
      expect(day(text)).toBeNull()
    }
  )

  it('takes two digits for a year that has begun', () => {
    expect(day('1.2.85')).toBe('1985-02-01')
  })

  it.each([
    ['04/12/2022', 'both'],
    ['04/12/22', 'both'],
    ['12-04-2022 09:30', 'both'],
    ['04/04/2022', 'any'],
    ['31/12/2022', 'dmy'],
    ['12/31/2022', 'mdy'],
    ['12.04.2022', 'any'],
    ['32/13/2022', null]
  ])('%j can be read in the order %j', (text, orders) => {
    expect(possibleOrders(text)).toBe(orders)
  })

  it.each([
    ['3/28', 'mdy', '03-28'],
    ['28/3', 'dmy', '03-28'],
    ['28.3.', 'mdy', '03-28'],
    ['--04-12', 'mdy', '04-12'],
    ['12. April', 'mdy', '04-12'],
    ['Apr 12', 'mdy', '04-12'],
    ['1/15/1985', 'mdy', '01-15']
  ] as const)('%j in the order %j is the day %j of the year', (text, order, expected) => {
    expect(readDayOfYear(text, order)).toBe(expected)
  })

  it('without a year may be readable in both orders', () => {
    expect(['7/4', '28/3', '3/28', '28.3.'].map(possibleDayOrders)).toEqual(['both', 'dmy', 'mdy', 'any'])
  })
})

describe('the order of the dates of a column', () => {
  it('is certain where some dates can be read in one order only', () => {
    expect(datesOf({ mdy: 0, dmy: 3, both: 9 })).toEqual({ date_order: 'dmy', mixed_dates: 'one_order' })
  })

  it('is unknown where all can be read in both orders, which are left blank then', () => {
    expect(datesOf({ mdy: 0, dmy: 0, both: 9 })).toEqual({ date_order: null, mixed_dates: 'blank_ambiguous' })
  })

  it('is not guessed for ambiguous dates of a column that mixes both orders', () => {
    expect(datesOf({ mdy: 400, dmy: 600, both: 464 })).toEqual({
      date_order: 'dmy',
      mixed_dates: 'blank_ambiguous'
    })
  })

  it('is the one of nearly all dates if a few are mistakes', () => {
    expect(datesOf({ mdy: 1, dmy: 600, both: 400 })).toEqual({
      date_order: 'dmy',
      mixed_dates: 'other_order'
    })
  })
})

describe('the addresses of a cell', () => {
  it.each([
    ['anna@example.org', ['anna@example.org']],
    ['Anna Ant <anna@example.org>', ['anna@example.org']],
    ['"Berg, Bert" <bert@example.org>', ['bert@example.org']],
    ['<cleo@example.org>', ['cleo@example.org']],
    ['dora@example.org (Dora)', ['dora@example.org']],
    ['mailto:anna@example.org', ['anna@example.org']],
    ['MAILTO: anna@example.org?subject=Hi', ['anna@example.org']],
    ['"anna@example.org"', ['anna@example.org']],
    ['anna@example.org;', ['anna@example.org']],
    ['anna@example.org.', ['anna@example.org']],
    ['anna＠example．org', ['anna@example.org']],
    ['\u200banna@exam\u00adple.org', ['anna@example.org']],
    ['\u200eanna@example.org\u202c', ['anna@example.org']],
    ['anna@example.org, anna@example.net', ['anna@example.org', 'anna@example.net']],
    ['a@example.org; b@example.org; A@example.org', ['a@example.org', 'b@example.org']],
    ['dora@example.org/dora@example.net', ['dora@example.org', 'dora@example.net']],
    ['Anna <a@example.org>, Bert <b@example.org>', ['a@example.org', 'b@example.org']],
    ['"john smith"@example.org', ['"john smith"@example.org']],
    ['nobody', ['nobody']],
    ['', []]
  ])('%j are %j', (cell, addresses) => {
    expect(readAddresses(cell).addresses).toEqual(addresses)
  })

  it('with an invisible character are refused with its name', () => {
    expect(['max @example.org', 'a\u00a0b@x.org', 'a\u2063b'].map(blankInside)).toEqual([
      { blank: 'a space' },
      { blank: 'a no-break space' },
      { character: 'U+2063' }
    ])
  })
})

describe('tidying', () => {
  it.each([
    ['  Ulm\u00a0 ', 'Ulm'],
    ['="01234"', '01234'],
    ['="say ""hi"""', 'say "hi"'],
    ['#N/A', ''],
    ['#NV', ''],
    ['NULL', ''],
    ['\\N', ''],
    ['Null', 'Null'],
    ['zero\u200bwidth', 'zerowidth'],
    ['न\u200dमस्ते', 'न\u200dमस्ते'],
    ['=1+1', '=1+1'],
    ['a  b', 'a  b']
  ])('makes %j into %j', (cell, tidy) => {
    expect(tidyCell(cell)).toBe(tidy)
  })

  it('removes apostrophes from numbers but not from names', () => {
    expect(["'01234", "'+49 30 1", "'(030) 1", "'s-Hertogenbosch", "'"].map(withoutTextMark)).toEqual([
      '01234',
      '+49 30 1',
      '(030) 1',
      "'s-Hertogenbosch",
      "'"
    ])
  })

  it('recognizes numbers that lost digits', () => {
    expect(['4.91512E+12', '1,2E+15', '1E5', 'E5', '12'].map(hasLostDigits)).toEqual([
      true,
      true,
      true,
      false,
      false
    ])
  })
})

describe('a number', () => {
  it.each(['01067', '+493512345', '12345678901234567890', '1.5', '1e3', ' 1', '-0', ''])(
    'is not made of %j, which would change',
    (text) => {
      expect(survivesAsNumber(text)).toBe(false)
    }
  )

  it('reports the leading zero or plus sign that it would lose', () => {
    expect(['01067', '+49', '17'].map((text) => textOf(numberLoss(text)))).toEqual([
      'would lose its leading zero as a number: "01067"',
      'would lose its plus sign as a number: "+49"',
      null
    ])
  })
})

describe('yes and no', () => {
  it('are read in English and German, and as spreadsheets and crosses', () => {
    expect(['Ja', 'WAHR', 'x', 'yes', 'Nein', 'FALSCH', 'no', 'maybe'].map(readTruth)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      null
    ])
  })

  it('are not recognized in ambiguous letters', () => {
    expect([['x', 'y'], ['x'], ['Y', 'n'], ['Ja', 'Nein'], ['t', 'x'], ['on', 'off']].map(areTruths)).toEqual(
      [false, true, true, true, false, true]
    )
  })
})

describe('the name of a new field', () => {
  it('has a code that no other field has', () => {
    const taken = new Set(['first name'])
    const codes = new Set([fieldCode('First Name'), 'email', 'status'])
    expect(
      ['first_name', 'Rabatt %', 'Email', 'Status', '%', 'A\nB'].map((name) =>
        freeFieldName(name, taken, codes)
      )
    ).toEqual(['first_name 2', 'Rabatt', 'Contact email', 'Contact status', 'Column', 'A B'])
  })

  it('is compared by its code', () => {
    expect(fieldsWithSameCode(['First Name', 'first_name', 'City'])).toEqual(['First Name', 'first_name'])
  })
})
