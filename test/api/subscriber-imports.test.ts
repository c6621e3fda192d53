import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import type {
  SubscriberImport,
  SubscriberImportSummary
} from '../../src-main/api/subscriber-imports/schema.ts'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
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

const noCounts = {
  added: 0,
  updated: 0,
  failed: 0,
  skipped_overwrite: 0,
  skipped_active: 0,
  skipped_unsubscribed: 0,
  skipped_scomp: 0,
  skipped_bounced: 0,
  skipped_deactivated: 0,
  skipped_duplicate: 0,
  skipped_over_limit: 0
}

async function logOf(importId: number, log: string): Promise<string> {
  return (await started.api.raw(`/ga/api/v2/subscriber_imports/${importId}/logs/${log}`)).text()
}

async function find(listId: number, email: string): Promise<Subscriber | undefined> {
  return (await allSubscribers(started.api, listId)).find((subscriber) => subscriber.email === email)
}

describe('an import', () => {
  it('answers every key of the specification, with its defaults', async () => {
    const list = await makeList(started.api)
    const answer = await importText(started.api, list.id, 'email\na@example.com\n')
    expect(answer).toEqual({
      id: expect.any(Number) as number,
      mailing_list_id: list.id,
      mailing_list_name: list.name,
      created_at: expect.any(String) as string,
      begins_at: expect.any(String) as string,
      finished_at: expect.any(String) as string,
      state: 'finished',
      overwrite: false,
      error_message: null,
      autoresponders: {
        subscription: { trigger: false, also_trigger_on_updated_subscribers: false },
        api: { trigger_new: null, trigger_updated: null }
      },
      overwrite_what: {
        custom_fields: true,
        confirmed: false,
        format: false,
        status: false,
        autoresponder: false
      },
      overwrite_when_status: {
        active: true,
        unsubscribed: false,
        bounced: false,
        deactivated: false,
        scomp: false
      },
      column_mapping: ['email'],
      default_custom_fields: {},
      subscriber_defaults: { status: 'active' },
      file_source: { type: 'json', filename: 'data', url: null },
      file_format: {
        csv_has_headers: true,
        character_set: 'UTF-8',
        csv_field_separator: ',',
        csv_field_enclosure: '"',
        date_format: 'mdy'
      },
      stats: { number_of_records: 1, records_imported: 1, subscribers: { ...noCounts, added: 1 } }
    })
  })

  it('brings custom fields of every type', async () => {
    const list = await makeList(started.api)
    const options = [{ name: 'Red' }, { name: 'Blue' }]
    await makeField(started.api, list.id, 'Text', 'text')
    await makeField(started.api, list.id, 'Long', 'text_multiline')
    await makeField(started.api, list.id, 'Number', 'number')
    await makeField(started.api, list.id, 'Date', 'date')
    await makeField(started.api, list.id, 'Day', 'day_of_year')
    await makeField(started.api, list.id, 'Drop', 'select_single_dropdown', { options })
    await makeField(started.api, list.id, 'Radio', 'select_single_radio', { options })
    await makeField(started.api, list.id, 'Boxes', 'select_multiple_checkboxes', { options })
    await makeField(started.api, list.id, 'Truth', 'boolean')
    const content = 'a@example.com,x,"one\ntwo",7,01/02/2014,3/4,Red,blue,Red;Blue,yes\n'
    const columns = ['Text', 'Long', 'Number', 'Date', 'Day', 'Drop', 'Radio', 'Boxes', 'Truth']
    await importText(started.api, list.id, content, {
      column_mapping: ['email', ...columns],
      file_format: { csv_has_headers: false, date_format: 'dmy' }
    })
    const [subscriber] = await allSubscribers(started.api, list.id)
    const values = columns.map((name) => subscriber?.custom_fields[name]?.value)
    expect(values).toEqual(['x', 'one\ntwo', 7, '2014-02-01', '04-03', 'Red', 'Blue', ['Red', 'Blue'], true])
  })

  it('reads the reserved columns', async () => {
    const list = await makeList(started.api, { has_format: true, has_confirmed: true })
    await importText(started.api, list.id, 'a@example.com,bounced,html,1,2014-05-06 07:08,192.0.2.1\n', {
      column_mapping: ['email', 'status', 'email_format', 'confirmed', 'subscribe_time', 'subscribe_ip'],
      file_format: { csv_has_headers: false }
    })
    expect(await find(list.id, 'a@example.com')).toMatchObject({
      status: 'bounced',
      email_format: 'html',
      confirmed: true,
      subscribe_time: '2014-05-06T07:08:00Z',
      subscribe_ip: '192.0.2.1'
    })
  })

  it('fails a row alone, with its line and its reason, and keeps the original row', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'Age', 'number')
    const rows = ['ok@example.com,4', 'nobody,5', '"b@example.com",old', 'c@example.com,6,status?']
    const answer = await importText(started.api, list.id, `email,Age\n${rows.join('\n')}\n`, {
      column_mapping: ['email', 'Age']
    })
    expect(answer.stats.subscribers).toMatchObject({ added: 1, failed: 3 })
    const lines = (await logOf(answer.id, 'failed')).trimEnd().split('\n')
    expect(lines[0]).toMatch(/^nobody,5,"?line 3: email is not a valid email address/)
    expect(lines[1]).toMatch(/^b@example\.com,old,"?line 4: Age must be a whole number/)
    expect(lines[2]).toMatch(/^c@example\.com,6,status\?,"?line 5: /)
  })

  it('returns the ids of the subscribers that it added and that are still there, and names that as an extension', async () => {
    const { id: listId } = await makeList(started.api)
    await makeSubscriber(started.api, listId, 'known@example.com')
    const { id } = await importText(
      started.api,
      listId,
      'email\nnew@example.com\nknown@example.com\ngone@example.com'
    )
    await started.api.delete(`/mailing_lists/${listId}/subscribers/gone@example.com`)

    const response = await started.api.raw(`/ga/api/v2/subscriber_imports/${id}`)
    const ids = await started.api.raw(`/ga/api/v2/subscriber_imports/${id}/added_ids`)

    expect(response.headers.get('x-listwright-extensions')).toBe('added_ids')
    expect(ids.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const added = await find(listId, 'new@example.com')
    expect(await ids.text()).toBe(`${added?.id},new@example.com\n`)
  })

  it('counts and logs what it skips: duplicates in the file and subscribers that stay as they are', async () => {
    const list = await makeList(started.api)
    await makeSubscriber(started.api, list.id, 'old@example.com')
    const answer = await importText(
      started.api,
      list.id,
      'email\nold@example.com\nnew@example.com\nNEW@example.com\n'
    )
    expect(answer.stats.subscribers).toEqual({
      ...noCounts,
      added: 1,
      skipped_overwrite: 1,
      skipped_duplicate: 1
    })
    expect(await logOf(answer.id, 'added')).toBe('new@example.com\n')
    expect(await logOf(answer.id, 'skipped_duplicate')).toBe('NEW@example.com\n')
    expect(await logOf(answer.id, 'skipped_overwrite')).toBe('old@example.com\n')
    expect(JSON.parse(await logOf(answer.id, 'updated'))).toMatchObject({ error_code: 'not_found' })
  })

  it('overwrites only the requested values, and only of subscribers with a requested status', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    for (const status of ['active', 'bounced', 'unsubscribed']) {
      await makeSubscriber(started.api, list.id, `${status}@example.com`, { status })
    }
    const answer = await importText(
      started.api,
      list.id,
      'active@example.com,Wien,scomp\nbounced@example.com,Linz,active\nunsubscribed@example.com,Graz,active\n',
      {
        column_mapping: ['email', 'City', 'status'],
        file_format: { csv_has_headers: false },
        overwrite: true,
        overwrite_when_status: { bounced: true }
      }
    )
    expect(answer.stats.subscribers).toEqual({ ...noCounts, updated: 2, skipped_unsubscribed: 1 })
    const updated = await find(list.id, 'active@example.com')
    expect([updated?.custom_fields['City']?.value, updated?.status]).toEqual(['Wien', 'active'])
    expect((await find(list.id, 'unsubscribed@example.com'))?.custom_fields['City']?.value).toBeNull()
  })

  it('gives new subscribers the defaults that their row does not set', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    await importText(started.api, list.id, 'a@example.com,\nb@example.com,Graz\n', {
      column_mapping: ['email', 'City'],
      file_format: { csv_has_headers: false },
      default_custom_fields: { City: 'Wien' },
      subscriber_defaults: { status: 'deactivated' }
    })
    const all = await allSubscribers(started.api, list.id)
    expect(all.map(({ status }) => status)).toEqual(['deactivated', 'deactivated'])
    expect(all.map(({ custom_fields }) => custom_fields['City']?.value)).toEqual(['Wien', 'Graz'])
  })

  it('leaves out columns without a name', async () => {
    const list = await makeList(started.api)
    const answer = await importText(started.api, list.id, 'x,a@example.com,y\n', {
      column_mapping: ['', 'email', null],
      file_format: { csv_has_headers: false }
    })
    expect(answer.stats.subscribers.added).toBe(1)
  })

  it('reads ISO-8859-1, tabs and single quotes when told to', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    const bytes = Buffer.from("a@example.com\t'Z\xfcrich\tCity'\n", 'latin1')
    await importFile(started, list.id, bytes, {
      column_mapping: ['email', 'City'],
      file_format: {
        csv_has_headers: false,
        character_set: 'ISO-8859-1',
        csv_field_separator: '\t',
        csv_field_enclosure: "'"
      }
    })
    expect((await find(list.id, 'a@example.com'))?.custom_fields['City']?.value).toBe('Zürich\tCity')
  })

  it.each([',', '\t'])(
    'logs failed rows in the format of their file, with %j and single quotes',
    async (separator) => {
      const list = await makeList(started.api)
      await makeField(started.api, list.id, 'Note', 'text')
      const note = `it's "said"${separator} twice`
      const cell = `'${note.replaceAll("'", "''")}'`
      const { id } = await importText(started.api, list.id, `nobody${separator}${cell}\n`, {
        column_mapping: ['email', 'Note'],
        file_format: { csv_has_headers: false, csv_field_separator: separator, csv_field_enclosure: "'" }
      })
      const [row] = parse(await logOf(id, 'failed'), { delimiter: separator, quote: "'", escape: "'" })
      expect(row?.slice(0, 2)).toEqual(['nobody', note])
    }
  )

  it('works on lists whose primary key is a custom field', async () => {
    const list = await makeList(started.api)
    const key = await makeField(started.api, list.id, 'Number', 'text')
    await started.api.put(`/mailing_lists/${list.id}`, {
      mailing_list: { primary_key_custom_field_id: key.id }
    })
    const answer = await importText(started.api, list.id, 'same@x.org,1\nsame@x.org,2\nother@x.org,1\n', {
      column_mapping: ['email', 'Number'],
      file_format: { csv_has_headers: false }
    })
    expect(answer.stats.subscribers).toEqual({ ...noCounts, added: 2, skipped_duplicate: 1 })
  })
})

describe('creating an import', () => {
  it('needs an email column, and columns that the list has', async () => {
    const list = await makeList(started.api)
    const create = (column_mapping: unknown) =>
      started.api.post(`/mailing_lists/${list.id}/subscriber_imports`, {
        subscriber_import: { column_mapping, file_source: { type: 'json', content: 'x' } }
      })
    expect((await create(['status'])).error_message).toMatch(/column_mapping .*email/)
    expect((await create(['email', 'Shoe size'])).error_message).toContain('Shoe size')
    expect((await create(['email', 'EMAIL'])).error_message).toContain('column_mapping')
    expect((await create(undefined)).error_message).toContain('column_mapping')
  })

  it('refuses email_format and confirmed on a list without them, and needs the primary key of a list', async () => {
    const list = await makeList(started.api)
    const number = await makeField(started.api, list.id, 'Number', 'number')
    const refusal = async (column_mapping: string[]) => {
      const { error_message } = await started.api.post(`/mailing_lists/${list.id}/subscriber_imports`, {
        subscriber_import: { column_mapping, file_source: { type: 'json', content: 'a@example.com' } }
      })
      return error_message
    }
    expect(await refusal(['email', 'email_format'])).toBe(
      'column_mapping: email_format belongs to lists with has_format only'
    )
    expect(await refusal(['email', 'confirmed'])).toBe(
      'column_mapping: confirmed belongs to lists with has_confirmed only'
    )
    await started.api.put(`/mailing_lists/${list.id}`, {
      mailing_list: { has_format: true, has_confirmed: true, primary_key_custom_field_id: number.id }
    })
    expect(await refusal(['email', 'email_format', 'confirmed'])).toBe(
      'column_mapping must contain Number, the primary key of this list'
    )
    expect(await refusal(['email', 'NUMBER', 'email_format', 'confirmed'])).toBeNull()
  })

  it('whose email column lies beyond those of the file fails, and says how many there are', async () => {
    const list = await makeList(started.api)
    const messageFor = async (content: string) => {
      const ended = await importText(started.api, list.id, content, { column_mapping: ['', '', 'email'] })
      return ended.error_message
    }
    expect(await messageFor('a\n1\n')).toContain(
      'the file has 1 column, and column_mapping expects email in column 3'
    )
    expect(await messageFor('a,b\n1,2\n')).toContain('the file has 2 columns, and')
  })

  it('refuses a file name that is not in the upload directory or leads outside of it', async () => {
    const list = await makeList(started.api)
    for (const filename of ['absent.csv', '../listwright.db', '/etc/passwd']) {
      const answer = await started.api.post(`/mailing_lists/${list.id}/subscriber_imports`, {
        subscriber_import: { column_mapping: ['email'], file_source: { type: 'upload_directory', filename } }
      })
      expect(answer, filename).toMatchObject({ success: false, error_code: 'validation_failed' })
      expect(answer.error_message).toContain('filename')
    }
  })
})

describe('the list of imports', () => {
  it('holds the short form, newest end first', async () => {
    const list = await makeList(started.api)
    const first = await importText(started.api, list.id, 'email\na@example.com\n')
    const second = await importText(started.api, list.id, 'email\nb@example.com\n')
    const { data } = await started.api.get<SubscriberImportSummary[]>(
      `/mailing_lists/${list.id}/subscriber_imports`
    )
    expect(data.map(({ id }) => id)).toEqual([second.id, first.id])
    expect(Object.keys(data[0] ?? {}).sort()).toEqual(
      [
        'id',
        'mailing_list_id',
        'mailing_list_name',
        'created_at',
        'state',
        'begins_at',
        'finished_at',
        'file_source',
        'stats'
      ].sort()
    )
    expect(data[0]?.stats).toEqual({ number_of_records: 1, records_imported: 1 })
  })
})

describe('an import in progress', () => {
  const rows = Array.from({ length: 60_000 }, (_, number) => `p${number}@example.com`).join('\n')

  async function startLarge(): Promise<{ listId: number; id: number }> {
    const list = await makeList(started.api)
    const { data } = await started.api.post<SubscriberImport>(
      `/mailing_lists/${list.id}/subscriber_imports`,
      {
        subscriber_import: {
          column_mapping: ['email'],
          file_format: { csv_has_headers: false },
          file_source: { type: 'json', content: rows }
        }
      }
    )
    return { listId: list.id, id: data.id }
  }

  it('can be paused and continues where it stopped', async () => {
    const { listId, id } = await startLarge()
    const paused = await started.api.post<SubscriberImport>(`/subscriber_imports/${id}/pause`)
    expect(paused.data.state).toBe('paused')
    const again = await started.api.post(`/subscriber_imports/${id}/pause`)
    expect(again).toMatchObject({ success: false, error_code: 'validation_failed' })
    await started.api.post(`/subscriber_imports/${id}/unpause`)
    const ended = await started.api.imported(id)
    expect(ended.stats.subscribers).toEqual({ ...noCounts, added: 60_000 })
    const page = await started.api.get(`/mailing_lists/${listId}/subscribers?per_page=1`)
    expect(page.num_records).toBe(60_000)
  })

  it('can be cancelled; what came before stays and is counted', async () => {
    const { listId, id } = await startLarge()
    await started.api.post(`/subscriber_imports/${id}/cancel`)
    const ended = await started.api.imported(id)
    expect(ended.state).toBe('cancelled')
    const page = await started.api.get(`/mailing_lists/${listId}/subscribers?per_page=1`)
    expect(page.num_records).toBe(ended.stats.subscribers.added)
    expect(await started.api.post(`/subscriber_imports/${id}/cancel`)).toMatchObject({
      success: false,
      error_code: 'validation_failed'
    })
  })

  it('does not block two programs that change the same list', async () => {
    const { listId, id } = await startLarge()
    for (let number = 0; number < 20; number++) {
      await makeSubscriber(started.api, listId, `meanwhile${number}@example.com`)
    }
    const ended = await started.api.imported(id)
    expect(ended.state).toBe('finished')
    const page = await started.api.get(`/mailing_lists/${listId}/subscribers?per_page=1`)
    expect(page.num_records).toBe(60_020)
  })
})
