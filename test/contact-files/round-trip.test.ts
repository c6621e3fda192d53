import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CustomField } from '../../src-main/api/custom-fields/schema.ts'
import type { SubscriberExport } from '../../src-main/api/subscriber-exports/schema.ts'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import { sharedApplication } from '../support/application.ts'
import { allSubscribers, makeField, makeList, makeSubscriber } from '../support/builders.ts'
import { importAsProposed } from '../support/contact-files.ts'

const started = sharedApplication()
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

const hostile = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' padded ',
      "'01234",
      "'=1+1",
      '=1+1',
      '+49 30 1',
      '-5',
      '01067',
      'NULL',
      '#N/A',
      '="01234"',
      '@x'
    ],
    ...[
      'a;b',
      'a,b',
      'a|b',
      'a\tb',
      '"',
      "'",
      'say "hi"',
      "O'Brien",
      "'s-Hertogenbosch",
      'Total',
      'n/a',
      'x',
      'ja'
    ],
    ...[
      '1/2/2022',
      '12.04.2022',
      '1E5',
      '\u200bhidden',
      'Łódź',
      '🎉',
      'anna@example.org',
      'sep=;',
      'unsubscribed'
    ]
  ),
  fc.string({ maxLength: 20 }).filter((text) => !/[\r\n\u0000-\u001f]/.test(text))
)
const person = fc.record({
  status: fc.constantFrom('active', 'unsubscribed', 'bounced', 'scomp', 'deactivated'),
  text: hostile,
  lines: fc.oneof(hostile, fc.constantFrom('two\nlines', 'a\n\nb', '"\n,')),
  number: fc.oneof(fc.constant(null), fc.integer({ min: -1000, max: 1_000_000_000 })),
  day: fc.constantFrom(null, '2022-04-12', '1999-12-31'),
  is: fc.constantFrom(null, true, false),
  options: fc.subarray(['News', 'a;b', 'Wine, red', '"quoted"'])
})

async function makeFields(listId: number): Promise<void> {
  await makeField(started.api, listId, 'Text', 'text')
  await makeField(started.api, listId, 'Lines', 'text_multiline')
  await makeField(started.api, listId, 'Number', 'number')
  await makeField(started.api, listId, 'Day', 'date')
  await makeField(started.api, listId, 'Is', 'boolean')
  await makeField(started.api, listId, 'Options', 'select_multiple_checkboxes', {
    options: ['News', 'a;b', 'Wine, red', '"quoted"'].map((name) => ({ name }))
  })
}

/** What must be preserved. */
function facts(subscribers: Subscriber[]) {
  return subscribers.map(({ email, status, subscribe_time, custom_fields }) => ({
    email,
    status,
    subscribe_time,
    values: Object.fromEntries(
      Object.entries(custom_fields).map(([name, { value }]) => [name, value === '' ? null : value])
    )
  }))
}

async function exported(
  listId: number,
  file_format: Record<string, unknown>
): Promise<Uint8Array<ArrayBuffer>> {
  const { data } = await started.api.post<SubscriberExport>(`/mailing_lists/${listId}/subscriber_exports`, {
    subscriber_export: { file_format }
  })
  await started.api.exported(data.id)
  const response = await started.api.raw(`/ga/api/v2/subscriber_exports/${data.id}/download`)
  return new Uint8Array(await response.arrayBuffer())
}

describe('what Listwright writes goes back in by accepting the proposal', () => {
  it(`an export, with each separator (SEED=${seed})`, { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(person, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(',', ';', '\t', '|'),
        async (people, csv_field_separator) => {
          const [from, to] = [await makeList(started.api), await makeList(started.api)]
          await Promise.all([makeFields(from.id), makeFields(to.id)])
          for (const [index, { status, text, lines, number, day, is, options }] of people.entries()) {
            await makeSubscriber(started.api, from.id, `p${index}@example.com`, {
              status,
              custom_fields: { Text: text, Lines: lines, Number: number, Day: day, Is: is, Options: options }
            })
          }
          const content = await exported(from.id, { csv_field_separator, escape_formulas: true })
          const { stats } = await importAsProposed(started, to.id, content)

          expect(stats.subscribers).toMatchObject({ added: people.length, failed: 0 })
          expect(facts(await allSubscribers(started.api, to.id))).toEqual(
            facts(await allSubscribers(started.api, from.id))
          )
        }
      ),
      { seed, numRuns: 12 }
    )
  })

  it('failed rows, under the column names of the file, once they were corrected', async () => {
    const list = await makeList(started.api)
    const first = await importAsProposed(
      started,
      list.id,
      'Mail;Vorname;PLZ\nanna@example.org;Anna;01067\nbad address;=1+1;01234\n'
    )
    const response = await started.api.raw(`/app/v1/subscriber_imports/${first.id}/failed_rows_file`)
    const file = await response.text()
    const corrected = file.replace('bad address', 'bert@example.org')
    const second = await importAsProposed(started, list.id, corrected)

    expect(file.split('\n')[0]).toBe('Mail;Vorname;PLZ;Error')
    expect(second.stats.subscribers).toMatchObject({ added: 1, failed: 0 })
    const { data } = await started.api.get<CustomField[]>(`/mailing_lists/${list.id}/custom_fields`)
    expect(data.map(({ name }) => name)).toEqual(['Vorname', 'PLZ'])
    const [, bert] = await allSubscribers(started.api, list.id)
    expect(bert?.custom_fields).toMatchObject({ Vorname: { value: '=1+1' }, PLZ: { value: '01234' } })
  })

  it('the log of failed rows of the API, which has no column names, by the last import as wide', async () => {
    const list = await makeList(started.api)
    const content = 'email,Interests,Note\nbad address,Beer,=1+1\nanna@example.org,Beer,fine\n'
    await importAsProposed(started, list.id, content)
    const corrected =
      'bert@example.org,Beer,\'=1+1,"line 2: email is not a valid email address: ""bad address"""\n'
    const { stats } = await importAsProposed(started, list.id, corrected)

    expect(stats.subscribers).toMatchObject({ added: 1, failed: 0 })
    const [, bert] = await allSubscribers(started.api, list.id)
    expect(bert?.custom_fields).toMatchObject({ Interests: { value: 'Beer' }, Note: { value: '=1+1' } })
  })
})
