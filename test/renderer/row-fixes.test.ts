import { refusal } from '../../src-main/base/refusal.ts'
import { describe, expect, it } from 'vitest'
import { listNameOf, textFile } from '../../src-renderer/model/contact-files.ts'
import { faultyValues, pastedCells, useRowFixes } from '../../src-renderer/composables/useRowFixes.ts'

const row = (place: number, cells: string[], column: number | null = 1) => ({
  place,
  line: place + 2,
  cells,
  complaint: 'status must be one of …',
  fault: refusal('said', { text: 'status must be one of …' }),
  column
})

describe('the correction of failed rows', () => {
  it('keeps changed cells, and drops a row once its original values are restored', () => {
    const { changed, count, cellOf, setCell } = useRowFixes(() => 3)
    const anna = row(0, ['anna@example.org', 'abonniert'])

    setCell(anna, 1, 'active')
    expect([cellOf(anna, 1), count.value, changed.value.get(0)]).toEqual([
      'active',
      1,
      ['anna@example.org', 'active', '']
    ])

    setCell(anna, 1, 'abonniert')
    expect(count.value).toBe(0)
  })

  it('counts the values that are to blame, the most frequent first', () => {
    const rows = [
      row(0, ['a', 'x']),
      row(1, ['b', 'abonniert']),
      row(2, ['c', 'abonniert']),
      row(3, ['d'], null)
    ]

    expect(faultyValues(rows)).toEqual([
      { value: 'abonniert', count: 2 },
      { value: 'x', count: 1 }
    ])
  })

  it('reads the cells of a copied part of a spreadsheet', () => {
    expect(pastedCells('a\tb\r\nc\td\r\n')).toEqual([
      ['a', 'b'],
      ['c', 'd']
    ])
  })
})

describe('contacts that are pasted', () => {
  it('stay as they are where they are cells of a spreadsheet', async () => {
    expect(await textFile('email\tname\na@x.org\tAnna').text()).toBe('email\tname\na@x.org\tAnna\n')
  })

  it('become a line each where they are the recipients of an email', async () => {
    const text = '"Meier, Anna" <anna@x.org>; Ben Ott <ben@x.org>, cy@x.org'

    expect(await textFile(text).text()).toBe(
      '"""Meier, Anna"" <anna@x.org>"\n"Ben Ott <ben@x.org>"\n"cy@x.org"\n'
    )
  })
})

it.each([
  ['our_customers.csv', 'Our customers'],
  ['people (2).xlsx', 'People'],
  ['Members-2024.csv.gz', 'Members 2024'],
  ['.csv', '.csv']
])('a new list for the file %j is called %j', (file, name) => {
  expect(listNameOf(file)).toBe(name)
})
