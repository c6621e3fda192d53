import { describe, expect, it } from 'vitest'
import { analyzed, emptyList, fieldOf } from './read-file.ts'

describe('blank cells that another column fills', () => {
  it('have the time and the address of the confirmation where those of the opt-in are blank', async () => {
    const { rows } = await analyzed(
      'Email Address,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP\n' +
        'a@example.com,2018-02-12 17:59:31,192.0.2.1,2018-02-13 08:00:00,192.0.2.2\n' +
        'b@example.com,,,2019-03-14 09:00:00,192.0.2.3\n' +
        'c@example.com,,,,\n'
    )

    expect(rows).toMatchObject([
      { subscribe_time: '2018-02-12 17:59:31', subscribe_ip: '192.0.2.1' },
      { subscribe_time: '2019-03-14 09:00:00', subscribe_ip: '192.0.2.3' },
      { subscribe_time: '', subscribe_ip: '' }
    ])
  })

  it('take a confirmation date in the day and month order of its own column', async () => {
    const { rows } = await analyzed(
      'email,opt-in date,DOI date\n' +
        'a@example.com,2/28/2020,28.03.2020\n' +
        'b@example.com,,05.04.2021\n' +
        'c@example.com,3/30/2020,\n'
    )

    expect(rows.map(({ subscribe_time }) => subscribe_time)).toEqual([
      '2020-02-28',
      '2021-04-05',
      '2020-03-30'
    ])
  })

  it('take the second address; a row with two addresses stays one subscriber', async () => {
    const { rows } = await analyzed(
      'Name,E-Mail,E-Mail 2\nAnna,,anna@example.net\nBert,bert@example.com,bert@example.net\n'
    )

    expect(rows.map(({ email }) => email)).toEqual(['anna@example.net', 'bert@example.com'])
  })

  it('stay blank where the other column has no time', async () => {
    const { rows } = await analyzed(
      'Email,Optin Time,Confirm Time\n' +
        Array.from(
          { length: 20 },
          (_, index) => `p${index}@x.org,2018-01-01 10:00:00,2018-01-02 10:00:00\n`
        ).join('') +
        'a@x.org,,pending\n'
    )

    expect(rows.at(-1)).toMatchObject({ email: 'a@x.org', subscribe_time: '' })
    expect(rows.at(-1)).not.toHaveProperty('fault')
  })

  it('stay blank if the user decided so', async () => {
    const file = 'Name,E-Mail,E-Mail 2\nAnna,,anna@example.net\nBert,bert@example.com,bert@example.net\n'
    const { analysis } = await analyzed(file)
    const [name, email, second] = analysis.reading.columns
    if (!name || !email || !second) throw new Error('three columns')
    const remembered = new Map([['e-mail 2', { ...second, fills_in: 'nothing' as const }]])

    const { rows } = await analyzed(file, {
      destination: emptyList({ remembered, fields: [fieldOf('E-Mail 2')] })
    })

    expect(rows.map((row) => row['email'])).toEqual(['', 'bert@example.com'])
  })

  it('are also kept in their own columns', async () => {
    const { rows } = await analyzed(
      'Email,Optin Time,Confirm Time\na@example.com,,2019-03-14 09:00:00\nb@example.com,2018-01-01 10:00:00,\n'
    )

    expect(rows[0]).toMatchObject({
      subscribe_time: '2019-03-14 09:00:00',
      'Confirm Time': '2019-03-14 09:00:00'
    })
  })
})
