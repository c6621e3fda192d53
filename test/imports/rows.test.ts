import SQLite from 'better-sqlite3'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import { parseDate } from '../../src-main/base/dates.ts'
import { csvWriter } from '../../src-main/csv/csv-writer.ts'
import { sharedApplication } from '../support/application.ts'
import {
  allSubscribers,
  importFile,
  importText,
  makeField,
  makeList,
  makeSubscriber
} from '../support/builders.ts'

const started = sharedApplication()
const write = csvWriter({ csv_field_separator: ',', csv_field_enclosure: '"' })

/** [order, text, year, month, day, hour, minute, second, offset in minutes] */
type DateCase = [string, string, ...(number | null)[]]

describe('a date of a row', () => {
  it.each<DateCase>([
    ['mdy', '2014-01-31', 2014, 1, 31, 0, 0, 0, null],
    ['dmy', '2014-01-31', 2014, 1, 31, 0, 0, 0, null],
    ['mdy', '2014-01-31 17:45', 2014, 1, 31, 17, 45, 0, null],
    ['mdy', '2014-01-31T17:45:09+01:00', 2014, 1, 31, 17, 45, 9, 60],
    ['mdy', '2014-01-31T17:45:09-0530', 2014, 1, 31, 17, 45, 9, -330],
    ['mdy', '2014-01-31T17:45:09.123Z', 2014, 1, 31, 17, 45, 9, 0],
    ['mdy', 'January 2, 2014', 2014, 1, 2, 0, 0, 0, null],
    ['mdy', 'Jan 2, 2014 09:30', 2014, 1, 2, 9, 30, 0, null],
    ['dmy', 'September 2, 2014', 2014, 9, 2, 0, 0, 0, null],
    ['dmy', 'Sept. 2, 2014', 2014, 9, 2, 0, 0, 0, null],
    ['mdy', '2 January 2014', 2014, 1, 2, 0, 0, 0, null],
    ['mdy', '29 FEB 2016', 2016, 2, 29, 0, 0, 0, null],
    ['mdy', '01-02-2014', 2014, 1, 2, 0, 0, 0, null],
    ['dmy', '01-02-2014', 2014, 2, 1, 0, 0, 0, null],
    ['mdy', '01/02/2014', 2014, 1, 2, 0, 0, 0, null],
    ['dmy', '01/02/2014', 2014, 2, 1, 0, 0, 0, null],
    ['mdy', '1/2/2014 1:05pm', 2014, 1, 2, 13, 5, 0, null],
    ['mdy', '1/2/2014 12:00am', 2014, 1, 2, 0, 0, 0, null],
    ['mdy', '1/2/2014 12:00:30 PM', 2014, 1, 2, 12, 0, 30, null],
    ['dmy', '31/12/2014 23:59:58', 2014, 12, 31, 23, 59, 58, null]
  ])('%s %j', (order, text, year, month, day, hour, minute, second, offset) => {
    expect(parseDate(text, order as 'mdy')).toEqual({ year, month, day, hour, minute, second, offset })
  })

  it.each([
    ['mdy', '13/01/2014'],
    ['dmy', '01/13/2014'],
    ['mdy', '2014-02-29'],
    ['mdy', '1900-02-29'],
    ['mdy', 'February 30, 2014'],
    ['mdy', 'Marketing 3, 2014'],
    ['mdy', '2014-01-31 24:00'],
    ['mdy', '1/2/2014 13:05pm'],
    ['mdy', '1/2/14'],
    ['mdy', 'yesterday']
  ])('is none: %s %j', (order, text) => {
    expect(parseDate(text, order as 'mdy')).toBeNull()
  })
})

function named(...names: string[]): { name: string }[] {
  return names.map((name) => ({ name }))
}

async function complaints({ id }: SubscriberImport): Promise<string[]> {
  const text = await (await started.api.raw(`/ga/api/v2/subscriber_imports/${id}/logs/failed`)).text()
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^.*?"?(line \d+: )/, '$1'))
}

async function importedBy(listId: number): Promise<Map<string, Subscriber>> {
  return new Map(
    (await allSubscribers(started.api, listId)).map((subscriber) => [subscriber.email, subscriber])
  )
}

describe('a row', () => {
  it('fills custom fields of all nine types, in the order of day and month that the import names', async () => {
    const list = await makeList(started.api)
    const types = {
      Text: 'text',
      Notes: 'text_multiline',
      Count: 'number',
      Day: 'date',
      Birthday: 'day_of_year',
      Size: 'select_single_dropdown',
      Colour: 'select_single_radio',
      Topics: 'select_multiple_checkboxes',
      Member: 'boolean'
    }
    for (const [name, type] of Object.entries(types)) {
      const options = type.startsWith('select') ? { options: named('Red', 'Blue', 'Large; "extra"') } : {}
      await makeField(started.api, list.id, name, type, options)
    }
    const rows = [
      [
        'a@example.com',
        'one, two',
        'first\nsecond',
        ' 42 ',
        '02/01/2014',
        '24/12',
        'red',
        'BLUE',
        'Red;blue',
        'yes'
      ],
      [
        'b@example.com',
        ' kept ',
        '',
        '-7',
        '31 December 2014',
        '2000-02-29',
        'Large; "extra"',
        'Red',
        'Blue;"Large; ""extra"""',
        '0'
      ],
      ['c@example.com', '', '', '', '', '', '', '', '', '']
    ]
    const result = await importFile(started, list.id, write(rows), {
      column_mapping: ['email', ...Object.keys(types)],
      file_format: { csv_has_headers: false, date_format: 'dmy' }
    })
    expect(result.stats.subscribers).toMatchObject({ added: 3, failed: 0 })
    const values = [...(await importedBy(list.id)).values()].map(({ custom_fields }) =>
      Object.keys(types).map((name) => custom_fields[name]?.value)
    )
    expect(values).toEqual([
      ['one, two', 'first\nsecond', 42, '2014-01-02', '12-24', 'Red', 'Blue', ['Red', 'Blue'], true],
      [' kept ', null, -7, '2014-12-31', '02-29', 'Large; "extra"', 'Red', ['Blue', 'Large; "extra"'], false],
      [null, null, null, null, null, null, null, [], null]
    ])
  })

  it('fails alone when a value does not fit, and says which field wants what', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'Text', 'text', { maximum_length: 5 })
    await makeField(started.api, list.id, 'Count', 'number', { minimum_value: 1, maximum_value: 9 })
    await makeField(started.api, list.id, 'Day', 'date')
    await makeField(started.api, list.id, 'Size', 'select_single_dropdown', { options: named('S', 'M') })
    await makeField(started.api, list.id, 'Member', 'boolean')
    const faults: [cells: string[], complaint: string][] = [
      [['too long', '', '', '', ''], 'Text must be at most 5 characters'],
      [['a\nb', '', '', '', ''], 'Text must be a single line'],
      [['', '1.5', '', '', ''], 'Count must be a whole number, and "1.5" is not one'],
      [['', '10', '', '', ''], 'Count must be at most 9'],
      [['', '', '02/30/2014', '', ''], 'Day must be a date such as'],
      [['', '', '', 'XL', ''], 'Size must be one of S, M, and "XL" is not one'],
      [['', '', '', '', 'maybe'], 'Member must be true or false, and "maybe" is neither']
    ]
    const rows = faults.map(([cells], index) => [`p${index}@example.com`, ...cells])
    const result = await importText(
      started.api,
      list.id,
      write([...rows, ['good@example.com', 'ok', '5', '2014-01-01', 's', 'on']]),
      {
        column_mapping: ['email', 'Text', 'Count', 'Day', 'Size', 'Member'],
        file_format: { csv_has_headers: false }
      }
    )
    expect(result.stats.subscribers).toMatchObject({ added: 1, failed: faults.length })
    const log = await (await started.api.raw(`/ga/api/v2/subscriber_imports/${result.id}/logs/failed`)).text()
    for (const [, complaint] of faults) expect(log.replaceAll('""', '"')).toContain(`: ${complaint}`)
  })

  it('fills the reserved columns, times in the time zone of the organization unless they name their own', async () => {
    const list = await makeList(started.api, { has_confirmed: true, has_format: true })
    const columns = [
      'email',
      'status',
      'confirmed',
      'email_format',
      'subscribe_time',
      'subscribe_ip',
      'remove_time',
      'remove_ip'
    ]
    const rows = [
      [
        'a@example.com',
        'Unsubscribed',
        'true',
        'html',
        '2014-01-31T12:00:00+01:00',
        '192.0.2.1',
        '1/2/2015 1:05pm',
        '2001:db8::1'
      ],
      ['b@example.com', 'bounced', 'no', 'TEXT', '2014-01-31T11:00:00Z', '', '', ''],
      ['c@example.com', '', '1', 'both', '', '', '', '']
    ]
    await importText(started.api, list.id, write(rows), {
      column_mapping: columns,
      file_format: { csv_has_headers: false }
    })
    const byEmail = await importedBy(list.id)
    expect(byEmail.get('a@example.com')).toMatchObject({
      status: 'unsubscribed',
      confirmed: true,
      email_format: 'html',
      subscribe_time_epoch: Date.UTC(2014, 0, 31, 11) / 1000,
      subscribe_ip: '192.0.2.1'
    })
    expect(byEmail.get('b@example.com')).toMatchObject({
      status: 'bounced',
      confirmed: false,
      email_format: 'plaintext',
      subscribe_time_epoch: Date.UTC(2014, 0, 31, 11) / 1000
    })
    expect(byEmail.get('c@example.com')).toMatchObject({
      status: 'active',
      confirmed: true,
      email_format: 'both'
    })
    const database = new SQLite(join(started.dataDirectory, 'listwright.db'), { readonly: true })
    onTestFinished(() => void database.close())
    const removals = database.prepare(
      'SELECT remove_time, remove_ip FROM subscribers WHERE mailing_list_id = ? ORDER BY email_key'
    )
    expect(removals.all(list.id)).toEqual([
      { remove_time: Date.UTC(2015, 0, 2, 13, 5), remove_ip: '2001:db8::1' },
      { remove_time: null, remove_ip: null },
      { remove_time: null, remove_ip: null }
    ])
  })

  it('fails alone when a reserved column holds what it cannot mean', async () => {
    const list = await makeList(started.api, { has_confirmed: true, has_format: true })
    const faults: [column: string, cell: string, complaint: string][] = [
      [
        'status',
        'gone',
        'status must be one of active, bounced, unsubscribed, scomp, deactivated, and "gone" is not one'
      ],
      ['confirmed', 'perhaps', 'confirmed must be true or false, and "perhaps" is neither'],
      ['email_format', 'pdf', 'email_format must be html, text or both, and "pdf" is not one'],
      ['subscribe_time', 'soon', 'subscribe_time must be a date such as'],
      ['subscribe_ip', '192.0.2.999', 'subscribe_ip must be an IP address, and "192.0.2.999" is not one'],
      ['remove_time', '31/31/2014', 'remove_time must be a date such as'],
      ['remove_ip', 'here', 'remove_ip must be an IP address, and "here" is not one']
    ]
    const columns = faults.map(([column]) => column)
    const rows = faults.map(([column, cell], index) => [
      `p${index}@example.com`,
      ...columns.map((name) => (name === column ? cell : ''))
    ])
    const result = await importText(started.api, list.id, write(rows), {
      column_mapping: ['email', ...columns],
      file_format: { csv_has_headers: false }
    })
    expect(result.stats.subscribers).toMatchObject({ added: 0, failed: faults.length })
    const messages = (await complaints(result)).map((line) => line.replaceAll('""', '"'))
    for (const [index, [, , complaint]] of faults.entries()) {
      expect(messages[index]).toContain(`line ${index + 1}: ${complaint}`)
    }
  })

  it('without a value takes default_custom_fields and subscriber_defaults, one with a value keeps it', async () => {
    const list = await makeList(started.api, { has_confirmed: true, has_format: true })
    await makeField(started.api, list.id, 'City', 'text')
    await makeField(started.api, list.id, 'Topics', 'select_multiple_checkboxes', {
      options: named('A', 'B')
    })
    await importText(started.api, list.id, 'a@example.com,\nb@example.com,Wien\n', {
      column_mapping: ['email', 'City'],
      file_format: { csv_has_headers: false },
      default_custom_fields: { City: 'Graz', Topics: ['A', 'B'] },
      subscriber_defaults: { status: 'unsubscribed', confirmed: true, format: 'html' }
    })
    const all = [...(await importedBy(list.id)).values()]
    expect(all.map(({ custom_fields }) => custom_fields['City']?.value)).toEqual(['Graz', 'Wien'])
    for (const subscriber of all) {
      expect(subscriber).toMatchObject({ status: 'unsubscribed', confirmed: true, email_format: 'html' })
      expect(subscriber.custom_fields['Topics']?.value).toEqual(['A', 'B'])
    }
  })

  it('that lacks a required field fails for a new subscriber, column or not', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text', { required: true })
    const without = await importText(started.api, list.id, 'email\na@example.com\n')
    expect(await complaints(without)).toEqual(['line 2: City cannot be blank'])
    const blank = await importText(started.api, list.id, 'email,City\na@example.com,\nb@example.com,Wien\n', {
      column_mapping: ['email', 'City']
    })
    expect(await complaints(blank)).toEqual(['line 2: City cannot be blank'])
    expect(blank.stats.subscribers.added).toBe(1)
  })

  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['a lone CR', '\r']
  ])('ends with %s, also after a quoted cell that holds one', async (_name, lineBreak) => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'Notes', 'text_multiline')
    const text = ['email,Notes', `a@example.com,"one${lineBreak}two"`, 'b@example.com,three', ''].join(
      lineBreak
    )
    const { stats } = await importText(started.api, list.id, text, { column_mapping: ['email', 'Notes'] })
    expect(stats.number_of_records).toBe(2)
    const byEmail = await importedBy(list.id)
    expect(byEmail.get('a@example.com')?.custom_fields['Notes']?.value).toBe(`one${lineBreak}two`)
    expect(byEmail.get('b@example.com')?.custom_fields['Notes']?.value).toBe('three')
  })

  it.each([
    ['UTF-8', Buffer.from('email,City\na@example.com,Zürich ✓\n'), 'Zürich ✓'],
    ['UTF-8', Buffer.from('\ufeffemail,City\na@example.com,Zürich\n'), 'Zürich'],
    ['ISO-8859-1', Buffer.from('email,City\na@example.com,Z\xfcrich\n', 'latin1'), 'Zürich']
  ])('is read in %s', async (character_set, content, city) => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    await importFile(started, list.id, content, {
      column_mapping: ['email', 'City'],
      file_format: { character_set }
    })
    expect((await importedBy(list.id)).get('a@example.com')?.custom_fields['City']?.value).toBe(city)
  })

  it.each([
    [',', '"'],
    ['\t', '"'],
    [',', "'"],
    [';', "'"]
  ])('is parted by %j and enclosed in %j', async (csv_field_separator, csv_field_enclosure) => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    const [s, e] = [csv_field_separator, csv_field_enclosure]
    const other = e === '"' ? "'" : '"'
    const city = `Wien${s} ${e}${other}Graz${other}`
    const content = `email${s}City\na@example.com${s}${e}${city.replaceAll(e, e + e)}${e}\n`
    await importText(started.api, list.id, content, {
      column_mapping: ['email', 'City'],
      file_format: { csv_field_separator, csv_field_enclosure }
    })
    expect((await importedBy(list.id)).get('a@example.com')?.custom_fields['City']?.value).toBe(city)
  })
})

describe('a row of an existing subscriber', () => {
  const statuses = ['active', 'unsubscribed', 'bounced', 'deactivated', 'scomp'] as const

  async function listOfEach(): Promise<number> {
    const list = await makeList(started.api, { has_confirmed: true, has_format: true })
    await makeField(started.api, list.id, 'City', 'text')
    for (const status of statuses) {
      await makeSubscriber(started.api, list.id, `${status}@example.com`, {
        status,
        confirmed: false,
        custom_fields: { City: 'Graz' }
      })
    }
    return list.id
  }
  const rows = write(
    statuses.map((status) => [`${status.toUpperCase()}@example.com`, 'Wien', 'active', 'true', 'html'])
  )
  const columns = {
    column_mapping: ['email', 'City', 'status', 'confirmed', 'email_format'],
    file_format: { csv_has_headers: false }
  }

  it('that says what is there already counts as updated, and writes nothing', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    const settings = {
      column_mapping: ['email', 'City'],
      file_format: { csv_has_headers: false },
      overwrite: true
    }
    const changedAt = (): unknown => {
      const database = new SQLite(join(started.dataDirectory, 'listwright.db'), { readonly: true })
      const at = database
        .prepare('SELECT updated_at FROM subscribers WHERE mailing_list_id = ?')
        .pluck()
        .get(list.id)
      database.close()
      return at
    }
    await importText(started.api, list.id, 'a@example.com,Wien', settings)
    const before = changedAt()
    const { stats } = await importText(started.api, list.id, 'a@example.com,Wien', settings)
    expect([stats.subscribers.updated, changedAt()]).toEqual([1, before])
    await importText(started.api, list.id, 'a@example.com,Graz', settings)
    expect(changedAt()).not.toBe(before)
  })

  it('is skipped without overwrite: skipped_overwrite', async () => {
    const listId = await listOfEach()
    const { stats } = await importText(started.api, listId, rows, columns)
    expect(stats.subscribers).toMatchObject({ added: 0, updated: 0, skipped_overwrite: 5 })
  })

  it.each(statuses)(
    'is skipped where overwrite_when_status leaves %s out, and counted by that status',
    async (left) => {
      const listId = await listOfEach()
      const overwrite_when_status = Object.fromEntries(statuses.map((status) => [status, status !== left]))
      const { stats } = await importText(started.api, listId, rows, {
        ...columns,
        overwrite: true,
        overwrite_when_status
      })
      expect(stats.subscribers).toMatchObject({ updated: 4, [`skipped_${left}`]: 1 })
      const changed = [...(await importedBy(listId)).values()].filter(
        ({ custom_fields }) => custom_fields['City']?.value === 'Wien'
      )
      expect(changed.map(({ email }) => email)).not.toContain(`${left}@example.com`)
      expect(changed).toHaveLength(4)
    }
  )

  it.each([
    ['custom_fields', { City: 'Wien', status: 'unsubscribed', confirmed: false, format: 'html' }],
    ['status', { City: 'Graz', status: 'active', confirmed: false, format: 'html' }],
    ['confirmed', { City: 'Graz', status: 'unsubscribed', confirmed: true, format: 'html' }],
    ['format', { City: 'Graz', status: 'unsubscribed', confirmed: false, format: 'html' }]
  ])('changes only what overwrite_what names: %s', async (what, expected) => {
    const listId = await listOfEach()
    await importText(started.api, listId, rows, {
      ...columns,
      overwrite: true,
      overwrite_when_status: { unsubscribed: true },
      overwrite_what: { custom_fields: false, [what]: true }
    })
    const { custom_fields, status, confirmed, email_format } = (await importedBy(listId)).get(
      'unsubscribed@example.com'
    ) as Subscriber
    expect({ City: custom_fields['City']?.value, status, confirmed, format: email_format ?? null }).toEqual(
      expected
    )
  })
})
