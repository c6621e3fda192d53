import { describe, expect, it } from 'vitest'
import { analyzed } from './read-file.ts'

const people = Array.from({ length: 250 }, (_, index) => `"p${index}@x.org,""Doe, Jo"",${index}"`)

describe('lines that are enclosed as a whole', () => {
  it('fail alone where a quote in them is never closed', async () => {
    const lines = [
      '"email,name,age"',
      ...people,
      '"bad@x.org,""Bob,7"',
      '"c@x.org,C,8"',
      '"d@x.org,D"",9"',
      '"e@x.org,E,9"'
    ]

    const { rows } = await analyzed(lines.map((line) => `${line}\n`).join(''))

    // Rows that are malformed are left out here.
    expect(rows.slice(people.length).map(({ email }) => email)).toEqual(['c@x.org', 'd@x.org', 'e@x.org'])
    expect(rows[5]).toMatchObject({ email: 'p5@x.org', name: 'Doe, Jo', age: '5' })
    expect(rows.at(-1)).toMatchObject({ email: 'e@x.org', name: 'E' })
  })

  it('fail where only some lines are enclosed', async () => {
    const { rows } = await analyzed(
      'Email,Name,Unsubscribed\na@x.org,Anna,no\n"b@x.org,""Ben, Jr."",yes"\nc@x.org,Cy,no\nd@x.org,Di,no\n'
    )

    expect(rows.map(({ fault }) => fault ?? null)).toEqual([
      null,
      'line 3: the whole row is enclosed as one cell',
      null,
      null
    ])
  })

  it('may follow a title and blank lines', async () => {
    const { analysis, rows } = await analyzed(
      `"Members 2024"\n\n"Email,Name,Age"\n${people.map((line) => `${line}\n`).join('')}`
    )

    expect(analysis.reading.header_line).toBe(3)
    expect(rows).toHaveLength(people.length)
    expect(rows[0]).toMatchObject({ email: 'p0@x.org', Name: 'Doe, Jo', Age: '0' })
  })
})
