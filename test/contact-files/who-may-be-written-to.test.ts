import { describe, expect, it } from 'vitest'
import { zipOf } from '../support/zip.ts'
import { analyzed } from './read-file.ts'
import { xlsxOf } from './spreadsheets.ts'

const people = ['anna', 'ben', 'cy', 'di']

async function statuses(header: string, values: string[]): Promise<string[]> {
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
  const rows = values.map((value, index) => `${people[index]},${people[index]}@example.org,${quoted(value)}`)
  const file = await analyzed(`Name,E-Mail,${quoted(header)}\n${rows.join('\n')}\n`)
  return file.rows.map((row) => (row['status'] === 'active' ? '' : (row['status'] ?? '')))
}

const out = 'unsubscribed'
const second = ['', out, '', '']

describe('a column that says who has opted out', () => {
  it.each([
    ['Unsubscribed', ['no', 'yes', 'no', 'no']],
    ['Kein Newsletter', ['', 'x', '', '']],
    ['Newsletter-Sperre', ['nein', 'ja', 'nein', 'nein']],
    ['Newslettersperre', ['nein', 'ja', 'nein', 'nein']],
    ['Newsletter abbestellt', ['nein', 'ja', 'nein', 'nein']],
    ['Einwilligung zurückgezogen', ['', 'x', '', '']],
    ['No newsletter', ['', 'x', '', '']],
    ['Exclude from newsletter', ['FALSE', 'TRUE', 'FALSE', 'FALSE']],
    ['Not subscribed', ['0', '1', '0', '0']],
    ['Do not send email', ['no', 'yes', 'no', 'no']],
    ['Emails disabled', ['False', 'True', 'False', 'False']],
    ['Newsletter gekündigt am', ['', '2022-03-04', '', '']],
    ['Abgemeldet am', ['-', '01.03.2020', '-', '-']],
    ['unsubscribed', ['0.0', '1.0', '0.0', '0.0']],
    ['Email Suppressions', ['[]', '["UNSUBSCRIBE"]', '[]', '[]']],
    ['Gesperrt', ['nicht gesperrt', 'gesperrt', 'nicht gesperrt', 'nicht gesperrt']],
    ['Opt-out', ['no', 'yes', 'no', `no${' and so on'.repeat(20)}`]],
    ['Unsubscribed at', ['1970-01-01 00:00:00', '2022-01-01 00:00:00', '1970-01-01 00:00:00', '']]
  ])('is found in “%s” with %j', async (header, values) => {
    expect(await statuses(header, values)).toEqual(second)
  })
})

describe('a column that says who has consented', () => {
  it.each([
    ['Newsletter', ['ja', 'nein', 'ja', 'ja']],
    ['Newsletter ja/nein', ['ja', 'nein', 'ja', 'ja']],
    ['Newsletter', ['wöchentlich', 'nein', 'monatlich', 'monatlich']],
    ['Newsletter?', ['ja (DOI 2020)', 'nein', 'ja (DOI 2021)', 'ja (DOI 2022)']],
    ['Möchten Sie unseren Newsletter erhalten?', ['Ja, gerne', 'Nein, danke', 'Ja, gerne', 'Ja, gerne']],
    ['DSGVO-Einwilligung', ['erteilt', 'verweigert', 'erteilt', 'erteilt']],
    ['Consent', ['Given', 'Not given', 'Given', 'Given']],
    ['subscribed', ['1.0', '0.0', '1.0', '1.0']],
    [
      'Newsletter',
      ['I would like to receive it', '', 'I would like to receive it', 'I would like to receive it']
    ],
    ['Einwilligung', ['12.03.2020', 'nein', '13.03.2020', '14.03.2020']],
    ['Status', ['Kunde', 'abgemeldet', 'Kunde', 'Kunde']],
    ['Receiving newsletters', ['yes', 'no', 'yes', 'yes']],
    ['Werbung erlaubt', ['ja', 'nein', 'ja', 'ja']],
    ['Darf per E-Mail kontaktiert werden', ['ja', 'nein', 'ja', 'ja']]
  ])('is found in “%s” with %j', async (header, values) => {
    expect(await statuses(header, values)).toEqual(second)
  })

  it('makes the contact active if one of several such columns says yes', async () => {
    const { rows } = await analyzed(
      'Email,Newsletter A,Newsletter B\nanna@x.org,yes,no\nben@x.org,no,no\ncy@x.org,no,yes\n'
    )

    expect(rows.map(({ status }) => status)).toEqual(['active', out, 'active'])
  })
})

describe('a column that says whose address does not work', () => {
  it.each([
    ['E-Mail bestätigt', ['ja', 'nein', 'ja', 'ja'], 'deactivated'],
    ['Verified?', ['yes', 'no', 'yes', 'yes'], 'deactivated'],
    ['Deaktiviert am', ['', '05.03.2022 09:00', '', ''], 'deactivated'],
    ['Email valid', ['TRUE', 'FALSE', 'TRUE', 'TRUE'], 'bounced'],
    ['Email hard bounce reason', ['(No value)', 'Unknown user', '', ''], 'bounced'],
    ['Bounce reason', ['OK', '550 unknown user', 'OK', 'OK'], 'bounced'],
    ['Spam complaint', ['no', 'yes', 'no', 'no'], 'scomp']
  ])('is found in “%s” with %j', async (header, values, status) => {
    expect(await statuses(header, values)).toEqual(['', status, '', ''])
  })
})

describe('a column about something else', () => {
  it.each([
    ['SMS Consent', ['UNSUBSCRIBED', 'NEVER_SUBSCRIBED', 'SUBSCRIBED', '']],
    ['WhatsApp opt-in', ['opted out', 'opted in', 'opted out', '']],
    ['Unsubscribe link', ['https://x.org/1', 'https://x.org/2', 'https://x.org/3', 'https://x.org/4']],
    ['Bounce rate', ['0%', '2%', '0%', '0%']],
    ['Spam score', ['0.1', '0.2', '0.1', '0.3']],
    ['Spam check', ['passed', 'passed', 'passed', 'passed']],
    ['Widerrufsbelehrung akzeptiert', ['ja', 'ja', 'ja', 'ja']],
    ['Consent to Track', ['Yes', 'No', 'Unspecified', 'Yes']],
    ['Einwilligung Fotos', ['ja', 'nein', 'ja', 'nein']],
    ['Newsletter opens', ['0', '1', '0', '7']],
    [
      'unsubdate',
      ['0000-00-00 00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00', '0000-00-00 00:00:00']
    ],
    ['Status', ['Completed', 'Pending', 'Completed', 'Refunded']],
    ['Status', ['active', 'canceled', 'past_due', 'active']],
    ['Status', ['Customer', 'Lead', 'Prospect', 'Lead']]
  ])('such as “%s” with %j leaves everyone subscribed', async (header, values) => {
    expect(await statuses(header, values)).toEqual(['', '', '', ''])
  })
})

describe('the header line', () => {
  it.each([
    'Export by;admin@club.de;2021-02-01\n\nName;E-Mail;Abgemeldet\nAnna;anna@x.de;nein\nBen;ben@x.de;ja\n',
    'info@club.de\nName;E-Mail;Abgemeldet\nAnna;anna@x.de;nein\nBen;ben@x.de;ja\n',
    'Kundenliste;Filiale Bonn;2021\nName;E-Mail;Newsletter\nAnna;anna@x.de;ja\nBen;ben@x.de;nein\n'
  ])('is found under %j', async (text) => {
    const { rows } = await analyzed(text)

    expect(rows.map(({ email, status }) => [email, status])).toEqual([
      ['anna@x.de', 'active'],
      ['ben@x.de', 'unsubscribed']
    ])
  })
})

describe('the column of the addresses', () => {
  it.each([
    [
      'is not that of somebody else',
      'Owner email,Person - Email\nsue@r.de,anna@x.de\nsue@r.de,ben@x.de\n',
      ['anna@x.de', 'ben@x.de']
    ],
    [
      'gives way to another one where it is blank',
      'Primary Email,Secondary Email\nanna@x.de,\n,ben@x.de\n',
      ['anna@x.de', 'ben@x.de']
    ]
  ])('%s', async (_, text, addresses) => {
    expect((await analyzed(text)).rows.map(({ email }) => email)).toEqual(addresses)
  })

  it('can be one line of recipients, as copied from an email', async () => {
    const { rows } = await analyzed('Anna <anna@x.de>; Ben <ben@x.de>; cy@x.de\n')

    expect(rows.map(({ email }) => email)).toEqual(['anna@x.de', 'ben@x.de', 'cy@x.de'])
  })

  it('keeps everyone if a single quote occurs late in the text', async () => {
    const rows = Array.from({ length: 300 }, (_, row) => `P,p${row}@x.de,Ulm\n`).join('')
    const file = await analyzed(
      `Name,Email,City\n${rows}'t Hart,hart@x.nl,Delft\n${rows.replaceAll('@x', '@y')}`
    )

    expect(file.rows).toHaveLength(601)
    expect(file.rows[300]).toMatchObject({ email: 'hart@x.nl', Name: "'t Hart" })
  })
})

describe('a contact who left', () => {
  const people = 'abcdefgh'
  it.each<[string, string, string[], (string | null)[]]>([
    ['a word in two parts', 'UnSubscribed', ['False', 'True'], ['active', 'unsubscribed']],
    ['a header written together', 'HASOPTEDOUTOFEMAIL', ['false', 'true'], ['active', 'unsubscribed']],
    [
      'a no to the newsletter of an active customer',
      'Aktiv;Newsletter',
      ['ja;ja', 'ja;nein'],
      ['active', 'unsubscribed']
    ],
    [
      'a header in the middle',
      'Opted Out',
      ['No', 'Yes', 'Opted Out', 'No', 'Yes'],
      ['active', 'unsubscribed', 'unsubscribed', 'active', 'unsubscribed']
    ],
    ['a reason in words', 'Suppression reason', ['', 'Unsubscribed via link'], ['', 'unsubscribed']],
    [
      'a reason that begins with no',
      'Unsubscribe reason',
      ['', 'No longer interested'],
      ['', 'unsubscribed']
    ],
    [
      'words of a service',
      'status',
      ['confirmed', 'cancelled', 'cold', 'complained'],
      ['active', 'unsubscribed', 'active', 'scomp']
    ],
    [
      'words among yes and no',
      'Newsletter',
      ['ja', 'abbestellt', 'abgemeldet 12.03.2021', 'STOP'],
      ['active', 'unsubscribed', 'unsubscribed', 'unsubscribed']
    ],
    ['a question', 'Join our mailing list?', ['Yes', 'No'], ['active', 'unsubscribed']],
    ['labels of a program', 'Do not allow Emails', ['Allow', 'Do Not Allow'], ['active', 'unsubscribed']],
    [
      'a day that stands for never',
      'Abgemeldet am',
      ['01.01.1970 01:00', '06.05.2022 10:00'],
      ['', 'unsubscribed']
    ]
  ])('is recognized by %s', async (_what, header, values, statuses) => {
    const rows = values.map((value, index) => `${people[index]}@x.org;${value}\n`)

    const { rows: read } = await analyzed(`Email;${header}\n${rows.join('')}`)

    expect(read.map(({ status }) => status)).toEqual(statuses)
  })

  it.each([
    ['Newsletter-Abbestellungen 2024.csv', true],
    ['nonsubscribed_email_audience_export_1.csv', true],
    ['unsubscribed_no_3.csv', true],
    ['unsubscribed ohne doppelte.csv', true],
    ['Verteiler ohne Abmeldungen.csv', false],
    ['customers without the unsubscribed.csv', false],
    ['no-bounces.csv', false],
    ['no hard-bounces.csv', false],
    ['customers without hard bounces.csv', false],
    ['Kunden ohne Newsletter-Abmeldungen.csv', false],
    ['list without duplicates and unsubscribed.csv', false],
    ['Kunden ohne unsere Sperrliste.csv', false],
    ['Subscribers 2024 (do not edit).csv', false],
    ['Donots Fanclub.csv', false]
  ])('is recognized by the name %s: %s', async (name, isTold) => {
    const { analysis } = await analyzed('Email,Name\na@x.org,Anna\n', { name })

    expect(analysis.reading.all_opted_out).toBe(isTold)
  })

  it.each(['xlsx', 'zip'])('is recognized by the name of a part of a %s file', async (kind) => {
    const parts =
      kind === 'xlsx'
        ? xlsxOf({
            Abgemeldet: [
              ['Email', 'Name'],
              ['a@x.org', 'Anna']
            ]
          })
        : zipOf({ 'unsubscribed_audience_1.csv': 'Email,Name\na@x.org,Anna\n' })

    const { analysis } = await analyzed(parts, { name: `export.${kind}` })

    expect(analysis.reading.all_opted_out).toBe(true)
  })

  it('is recognized by a word among hundreds of different values', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => {
      const day = `${(index % 28) + 1}.${(index % 12) + 1}.${2000 + index}`
      return `p${index}@x.org,${index % 3 === 0 ? 'abgemeldet' : 'angemeldet'} am ${day}`
    })

    const { rows: read } = await analyzed(`Email,Status\n${rows.join('\n')}\n`)

    expect(read.slice(0, 3).map(({ status }) => status)).toEqual(['unsubscribed', '', ''])
    expect(read.filter(({ status }) => status === 'unsubscribed')).toHaveLength(100)
  })

  it('is recognized by hundreds of reasons, of which one looks like a link', async () => {
    const rows = Array.from({ length: 600 }, (_, index) => {
      const reason = index === 8 ? 'https://support.example.com/mail' : `550 5.1.1 user p${index} unknown`
      return `p${index}@x.org,${index % 2 === 0 ? reason : ''}`
    })

    const { rows: read } = await analyzed(`Email,Bounce reason\n${rows.join('\n')}\n`)

    expect(read.filter(({ status }) => status === 'bounced')).toHaveLength(300)
  })

  it('is not inferred from a column of mailing-list numbers', async () => {
    const { rows } = await analyzed('Email,Verteiler\na@x.org,0\nb@x.org,1\nc@x.org,2\nd@x.org,1\n')

    expect(rows.map(({ status }) => status)).toEqual([undefined, undefined, undefined, undefined])
  })

  it('is recognized by a small number where zero means no', async () => {
    const { rows } = await analyzed('Email,Newsletter\na@x.org,0\nb@x.org,1\nc@x.org,2\nd@x.org,1\n')

    expect(rows.map(({ status }) => status)).toEqual(['unsubscribed', 'active', 'deactivated', 'active'])
  })

  it('is recognized by the time of activation in an export of CleverReach', async () => {
    const { rows } = await analyzed(
      'E-Mail;Registriert;Aktiviert;Deaktiviert\n' +
        'a@x.org;01.01.2020 10:00:00;01.01.2020 11:00:00;\n' +
        'b@x.org;01.01.2020 10:00:00;;\n' +
        'c@x.org;01.01.2020 10:00:00;0;\n'
    )

    expect(rows.map(({ status }) => status)).toEqual(['', 'deactivated', 'deactivated'])
  })

  it('is recognized by times of activation that are all missing', async () => {
    const { rows } = await analyzed(
      'E-Mail;Registriert;Aktiviert;Deaktiviert\na@x.org;01.01.2020 10:00:00;;\n'
    )

    expect(rows.map(({ status }) => status)).toEqual(['deactivated'])
  })

  it.each([
    ['Buyer Email,Attendee Email', 'boss@x.org,ann@x.org\nboss@x.org,ben@x.org', ['ann@x.org', 'ben@x.org']],
    ['Buyer Email,Shop Email', 'ann@x.org,shop@x.org\nben@x.org,shop@x.org', ['ann@x.org', 'ben@x.org']],
    ['Buyer Email,Name', 'ann@x.org,Ann\nben@x.org,Ben', ['ann@x.org', 'ben@x.org']]
  ])('of %s is the one with that address', async (header, lines, emails) => {
    const { rows } = await analyzed(`${header}\n${lines}\n`)

    expect(rows.map(({ email }) => email)).toEqual(emails)
  })

  it('is recognized by a status column rather than the name of the file', async () => {
    const { rows } = await analyzed('Email,Status\na@x.org,subscribed\n', { name: 'unsubscribed or not.csv' })

    expect(rows[0]?.['status']).toBe('active')
  })
})

describe('the type of a new field', () => {
  it.each([
    ['Average rating', ['4.5', '3.7', '2.9', '4.1'], 'text'],
    ['Age group', ['6-10', '10-15', '6-10', '10-15'], 'text'],
    ['Birthday', ['3/28', '12/24', '7/4', '1/15'], 'day_of_year'],
    ['Day', ['24.12.', '01.03.', '5.6.', '31.1.'], 'day_of_year'],
    ['Country', ['NO', 'NO', 'NO', 'NO'], 'text'],
    ['Geschlecht', ['f', 'f', 'f', 'f'], 'text'],
    ['Member', ['yes', 'no', 'yes', ''], 'boolean'],
    ['Zip', ['10115', '10117', '10119', '10120'], 'text'],
    ['Orders', ['1', '20', 'n/a', '3'], 'number'],
    ['Team', ['Junior 1', 'Junior 2', 'Novice 3', 'Mark 4'], 'text']
  ])('of “%s” with %j is %s', async (header, values, type) => {
    const rows = values.map((value, index) => `p${index}@x.org,${value}`)
    const { analysis } = await analyzed(`email,${header}\n${rows.join('\n')}\n`)

    expect(analysis.reading.columns[1]?.new_field_type).toBe(type)
  })
})
