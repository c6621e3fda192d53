import SQLite from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type FieldDefinition,
  presentValue,
  type StoredValue,
  type StoredValues
} from '../../src-main/api/custom-fields/rules.ts'
import { ValueScanner } from '../../src-main/api/custom-fields/scan-values.ts'
import { customFieldTypes } from '../../src-main/api/custom-fields/schema.ts'
import type { MailingListRow } from '../../src-main/api/mailing-lists/queries.ts'
import type { PresentedRow } from '../../src-main/api/subscribers/queries.ts'
import { emailFormats, subscriberStatuses } from '../../src-main/api/subscribers/schema.ts'
import { subscriberWriter } from '../../src-main/api/subscribers/write-subscriber.ts'
import { formatTime } from '../../src-main/base/times.ts'
import { jsonArray, jsonOf, JsonText, withData } from '../../src-main/http/json-text.ts'

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constant('Zürich "west" \\ 1/2'))

const name = fc.oneof(anyText, fc.constantFrom('first name', '2019', '7', '__proto__', 'constructor', ''))

const field: fc.Arbitrary<FieldDefinition> = fc.record({
  id: fc.integer({ min: 1, max: 30 }),
  organizationId: fc.constant(1),
  mailingListId: fc.constant(1),
  name,
  type: fc.constantFrom(...customFieldTypes),
  required: fc.boolean(),
  instructions: fc.constant(null),
  attributes: fc.constant({}),
  options: fc.uniqueArray(fc.record({ id: fc.integer({ min: 1, max: 9 }), name, position: fc.constant(0) }), {
    selector: ({ id }) => id,
    maxLength: 5
  })
})

const storedValue: fc.Arbitrary<StoredValue> = fc.oneof(
  anyText,
  fc.maxSafeInteger(),
  fc.integer({ min: 1, max: 9 }),
  fc.boolean(),
  fc.array(fc.integer({ min: 1, max: 9 }))
)

const storedValues: fc.Arbitrary<StoredValues> = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 30 }), storedValue))
  .map((entries): StoredValues => Object.fromEntries(entries))

const row: fc.Arbitrary<PresentedRow> = fc.record({
  id: fc.maxSafeNat(),
  mailing_list_id: fc.nat(),
  email: anyText,
  created_at: fc.integer({ min: 0, max: 4e12 }),
  email_format: fc.constantFrom(null, ...emailFormats),
  confirmed: fc.constantFrom(null, 0, 1),
  status: fc.constantFrom(...subscriberStatuses),
  subscribe_time: fc.integer({ min: -4e12, max: 4e12 }),
  subscribe_ip: fc.constantFrom(null, '192.0.2.1', '2001:db8::1'),
  custom_fields: storedValues.map((values) => JSON.stringify(values))
})

/** The answer as docs/api.md describes it, as an object. */
function answerOf(subscriber: PresentedRow, list: MailingListRow, fields: FieldDefinition[], zone: string) {
  const stored = JSON.parse(subscriber.custom_fields) as StoredValues
  const values = fields.map(
    (each) =>
      [each.name, { name: each.name, type: each.type, value: presentValue(each, stored[each.id]) }] as const
  )
  return {
    id: subscriber.id,
    mailing_list_id: subscriber.mailing_list_id,
    email: subscriber.email,
    created_at: formatTime(subscriber.created_at, zone),
    created_at_epoch: Math.floor(subscriber.created_at / 1000),
    status: subscriber.status,
    subscribe_time: formatTime(subscriber.subscribe_time, zone),
    subscribe_time_epoch: Math.floor(subscriber.subscribe_time / 1000),
    subscribe_ip: subscriber.subscribe_ip,
    custom_fields: Object.fromEntries(values),
    // What not every list has comes last.
    ...(list.has_format === 1 && { email_format: subscriber.email_format ?? 'html' }),
    ...(list.has_confirmed === 1 && { confirmed: subscriber.confirmed === 1 })
  }
}

describe('subscriberWriter', () => {
  it('writes a subscriber byte by byte as JSON.stringify writes the answer', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(field, { selector: ({ id }) => id, maxLength: 12 }),
        fc.array(row, { maxLength: 5 }),
        fc.constantFrom(0, 1),
        fc.constantFrom('UTC', 'Europe/Vienna', 'America/St_Johns'),
        (fields, rows, isOn, zone) => {
          const list = { has_format: isOn, has_confirmed: 1 - isOn } as MailingListRow

          const written = jsonArray(rows, subscriberWriter(list, fields, zone))

          expect(written.text).toBe(JSON.stringify(rows.map((each) => answerOf(each, list, fields, zone))))
        }
      ),
      { numRuns: 2000 }
    )
  })

  it('writes values that SQLite stored like those that JSON.stringify stored', () => {
    const sqlite = new SQLite(':memory:')
    const set = sqlite.prepare<[string, string, unknown], string>('SELECT json_set(?, ?, ?)').pluck()
    fc.assert(
      fc.property(row, fc.integer({ min: 1, max: 30 }), anyText, fc.integer(), (before, id, text, number) => {
        const fields = [{ id, name: 'a', type: 'text' }] as FieldDefinition[]
        const list = { has_format: 0, has_confirmed: 0 } as MailingListRow
        for (const value of [text.toWellFormed(), number]) {
          const custom_fields = set.get(before.custom_fields, `$."${id}"`, value) ?? ''
          const after = { ...before, custom_fields }

          const written = subscriberWriter(list, fields, 'UTC')(after)

          expect(written.text).toBe(JSON.stringify(answerOf(after, list, fields, 'UTC')))
        }
      }),
      { numRuns: 1000 }
    )
    sqlite.close()
  })
})

describe('ValueScanner', () => {
  it.each([
    ['no values', '{}', [null, null]],
    ['values in any order', '{"2":"b","1":"a"}', ['"a"', '"b"']],
    [
      'a text that looks like more of the object',
      String.raw`{"1":"x\",\"2\":\"y"}`,
      [String.raw`"x\",\"2\":\"y"`, null]
    ],
    ['a text that ends with a backslash', String.raw`{"1":"a\\","2":3}`, [String.raw`"a\\"`, '3']],
    ['several options', '{"1":[1,22],"2":true}', ['[1,22]', 'true']],
    ['white space, which is parsed', '{ "1" : "a" }', ['"a"', null]],
    ['a key that is no number, which is parsed', '{"x":1,"2":5.0}', [null, '5']],
    ['a hash, which is parsed', '{"1":{"2":3}}', ['{"2":3}', null]]
  ])('finds %s', (_what, stored, expected) => {
    expect(new ValueScanner([1, 2]).scan(stored)).toEqual(expected)
  })
})

it('a text is written as JSON.stringify writes it, whatever its characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(jsonOf(text)).toBe(JSON.stringify(text))
    }),
    { numRuns: 5000 }
  )
  expect(jsonOf('\ud800 alone')).toBe(String.raw`"\ud800 alone"`)
})

it('data that is JSON already takes its place in an answer', () => {
  const answer = withData({ success: true, data: null, error_code: null }, new JsonText<number[]>('[1]'))

  expect(answer.text).toBe('{"success":true,"data":[1],"error_code":null}')
})
