import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SubscriberExport } from '../../src-main/api/subscriber-exports/schema.ts'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import { sharedApplication, temporaryDirectory } from '../support/application.ts'
import {
  deleteList,
  allSubscribers,
  importFile,
  importText,
  makeField,
  makeList,
  makeSubscriber
} from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { serve } from '../support/process.ts'

const started = sharedApplication()
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

async function begin(api: Client, listId: number, settings: Record<string, unknown> = {}): Promise<number> {
  const answer = await api.post<SubscriberExport>(`/mailing_lists/${listId}/subscriber_exports`, {
    subscriber_export: settings
  })
  expect(answer.error_message).toBeNull()
  return answer.data.id
}

async function exportText(listId: number, settings: Record<string, unknown> = {}): Promise<string> {
  const id = await begin(started.api, listId, settings)
  expect(await started.api.exported(id)).toMatchObject({ state: 'finished', error_message: null })
  return (await started.api.raw(`/ga/api/v2/subscriber_exports/${id}/download`)).text()
}

const optionNames = ['Red', 'Blue', 'Green; yellow', 'The "best"', 'Ärger']
const types = {
  Text: 'text',
  Notes: 'text_multiline',
  Number: 'number',
  Date: 'date',
  Day: 'day_of_year',
  Dropdown: 'select_single_dropdown',
  Radio: 'select_single_radio',
  Boxes: 'select_multiple_checkboxes',
  Truth: 'boolean'
}

async function makeFullList(): Promise<number> {
  const list = await makeList(started.api, { has_format: true, has_confirmed: true })
  const options = optionNames.map((name) => ({ name }))
  for (const [name, type] of Object.entries(types)) {
    await makeField(started.api, list.id, name, type, type.startsWith('select_') ? { options } : {})
  }
  return list.id
}

const characters = fc.constantFrom('a', 'Z', ' ', 'é', '用', '🙂', '"', "'", ',', ';', '\t', '=', '\\')
const line = fc.string({ unit: characters, minLength: 1, maxLength: 12 })
const subscriber = fc.record({
  status: fc.constantFrom('active', 'bounced', 'unsubscribed', 'scomp', 'deactivated'),
  email_format: fc.option(fc.constantFrom('html', 'plaintext'), { nil: undefined }),
  confirmed: fc.option(fc.boolean(), { nil: undefined }),
  subscribe_time: fc.integer({ min: 0, max: 4_000_000_000 }),
  subscribe_ip: fc.option(fc.oneof(fc.ipV4(), fc.ipV6())),
  custom_fields: fc.record({
    Text: fc.option(line),
    Notes: fc.option(
      fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r'), line).map((parts) => parts.join(''))
    ),
    Number: fc.option(fc.maxSafeInteger()),
    Date: fc.option(fc.constantFrom('1900-02-28', '2024-02-29', '2099-12-31')),
    Day: fc.option(fc.constantFrom('02-29', '01-02', '12-31')),
    Dropdown: fc.option(fc.constantFrom(...optionNames)),
    Radio: fc.option(fc.constantFrom(...optionNames)),
    Boxes: fc.subarray(optionNames),
    Truth: fc.option(fc.boolean())
  })
})

/** A subscriber without what another list gives anew. */
function comparable({
  id: _id,
  mailing_list_id: _list,
  created_at: _at,
  created_at_epoch: _epoch,
  ...rest
}: Subscriber) {
  return rest
}

it(`an export that is imported into an empty list gives the same subscribers (SEED=${seed})`, async () => {
  const formats = fc.record({
    csv_field_separator: fc.constantFrom(',', '\t'),
    csv_field_enclosure: fc.constantFrom('"', "'")
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(subscriber, { minLength: 1, maxLength: 8 }),
      formats,
      async (given, file_format) => {
        const [from, to] = [await makeFullList(), await makeFullList()]
        for (const [index, each] of given.entries()) {
          const path = `/mailing_lists/${from}/subscribers`
          const made = await started.api.post(path, {
            subscriber: { email: `${index}"o'x@example.com`.replace('"', ''), ...each }
          })
          expect(made.error_message).toBeNull()
        }
        const text = await exportText(from, { file_format })
        const [header = []] = parse(text, {
          delimiter: file_format.csv_field_separator,
          quote: file_format.csv_field_enclosure,
          escape: file_format.csv_field_enclosure,
          to: 1
        })
        const imported = await importFile(started, to, text, { column_mapping: header, file_format })
        expect(imported.stats.subscribers).toMatchObject({ added: given.length, failed: 0 })
        const [before, after] = [
          await allSubscribers(started.api, from),
          await allSubscribers(started.api, to)
        ]
        expect(after.map(comparable)).toEqual(before.map(comparable))
      }
    ),
    { seed, numRuns: 20 }
  )
})

describe('an export', () => {
  it('holds the columns and the statuses that were asked for, in that order', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    await makeSubscriber(started.api, list.id, 'a@example.com', { custom_fields: { City: 'Bern, old town' } })
    await makeSubscriber(started.api, list.id, 'b@example.com', { status: 'bounced' })
    const text = await exportText(list.id, { columns: ['city', 'email'], statuses: ['active'] })
    expect(text).toBe('City,email\n"Bern, old town",a@example.com\n')
  })

  it('without subscribers is a header line, or nothing without headers', async () => {
    const list = await makeList(started.api)
    expect(await exportText(list.id, { columns: ['email'] })).toBe('email\n')
    const file_format = { csv_has_headers: false }
    expect(await exportText(list.id, { columns: ['email'], file_format })).toBe('')
  })

  it('keeps a spreadsheet from executing cells when asked to', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'Note', 'text')
    const notes = ['=1+1', '+1', '-1.5', '-1+cmd', '@SUM(1)', 'a=b', 'a;=1', '＝1', "'=1", "'tis"]
    for (const [index, Note] of notes.entries()) {
      await makeSubscriber(started.api, list.id, `${index}@example.com`, { custom_fields: { Note } })
    }
    const columns = ['Note']
    expect(await exportText(list.id, { columns })).toBe(`Note\n${notes.join('\n')}\n`)
    const escaped = await exportText(list.id, { columns, file_format: { escape_formulas: true } })
    const escapedNotes = [
      "'=1+1",
      '+1',
      '-1.5',
      "'-1+cmd",
      "'@SUM(1)",
      'a=b',
      "'a;=1",
      "'＝1",
      "''=1",
      "'tis"
    ]
    expect(escaped).toBe(`Note\n${escapedNotes.join('\n')}\n`)
    // An import with this setting reads it back without loss.
    const whole = await exportText(list.id, {
      columns: ['email', ...columns],
      file_format: { escape_formulas: true }
    })
    const other = await makeList(started.api)
    await makeField(started.api, other.id, 'Note', 'text')
    await importText(started.api, other.id, whole, {
      column_mapping: ['email', 'Note'],
      file_format: { escape_formulas: true }
    })
    const again = await exportText(other.id, { columns })
    expect(again.split('\n').toSorted()).toEqual(['Note', ...notes, ''].toSorted())
  })

  it.each([
    [{ columns: ['email', 'Shoe'] }, 'validation_failed', /^columns: Shoe is no column of this list$/],
    [{ columns: ['email', 'email'] }, 'validation_failed', /^columns names email twice$/],
    [{ columns: ['confirmed'] }, 'validation_failed', /^columns: confirmed is no column of this list$/],
    [{ statuses: ['gone'] }, 'validation_failed', /^statuses\.0 must be one of active/],
    [{ segment_id: 7 }, 'not_found', /^segment 7 was not found$/]
  ])('refuses %j', async (settings, code, message) => {
    const list = await makeList(started.api)
    const answer = await started.api.post(`/mailing_lists/${list.id}/subscriber_exports`, {
      subscriber_export: settings
    })
    expect(answer).toMatchObject({ success: false, error_code: code })
    expect(answer.error_message).toMatch(message)
  })

  it('has no file before it is finished, and cannot be acted on afterwards', async () => {
    const list = await makeList(started.api)
    const id = await begin(started.api, list.id)
    await started.api.exported(id)
    for (const action of ['pause', 'unpause', 'cancel']) {
      expect(await started.api.post(`/subscriber_exports/${id}/${action}`)).toMatchObject({
        error_code: 'validation_failed'
      })
    }
  })
})

/** Large imports write their rows in the order of the keys. */
function sortedLines(text: string): string {
  return text.trimEnd().split('\n').toSorted().join('\n')
}

describe('an export in progress', () => {
  const rows = 60_000
  const content = Array.from({ length: rows }, (_, row) => `p${row}@example.com`).join('\n')
  const withoutHeaders = { file_format: { csv_has_headers: false } }

  it('is paused, continues where it stopped, and is complete at the end', async () => {
    const list = await makeList(started.api)
    await importText(started.api, list.id, content, withoutHeaders)
    const id = await begin(started.api, list.id, { columns: ['email'], ...withoutHeaders })
    const paused = await started.api.post<SubscriberExport>(`/subscriber_exports/${id}/pause`)
    expect(paused.data.state).toBe('paused')
    expect(await started.api.get(`/subscriber_exports/${id}/download`)).toMatchObject({
      error_code: 'not_found'
    })
    await started.api.post(`/subscriber_exports/${id}/unpause`)
    const ended = await started.api.exported(id)
    expect(ended.stats).toEqual({ number_of_records: rows, records_exported: rows })
    const response = await started.api.raw(`/ga/api/v2/subscriber_exports/${id}/download`)
    expect(sortedLines(await response.text())).toBe(sortedLines(content))
  })

  it('is cancelled with its list', async () => {
    const list = await makeList(started.api)
    await importText(started.api, list.id, content, withoutHeaders)
    const id = await begin(started.api, list.id)
    await started.api.post(`/subscriber_exports/${id}/pause`)
    await deleteList(started.api, list.id)
    expect((await started.api.exported(id)).state).toBe('cancelled')
  })

  it('that is killed continues at the next start and is complete', async () => {
    const directory = await temporaryDirectory()
    const first = await serve(directory)
    const list = await makeList(first.api)
    await importText(first.api, list.id, content, withoutHeaders)
    const id = await begin(first.api, list.id, { columns: ['email'], ...withoutHeaders })
    await first.end('SIGKILL')
    const second = await serve(directory)
    expect(await second.api.exported(id)).toMatchObject({
      state: 'finished',
      stats: { records_exported: rows }
    })
    const response = await second.api.raw(`/ga/api/v2/subscriber_exports/${id}/download`)
    expect(sortedLines(await response.text())).toBe(sortedLines(content))
    await second.end('SIGTERM')
  })
})
