import { refusal } from '../../src-main/base/refusal.ts'
import { describe, expect, it } from 'vitest'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import type { FailedRow, ImportLinks, ListedImport } from '../../src-main/workbench/imports/endpoints.ts'
import { plainReading } from '../support/contact-files.ts'
import { sharedApplication } from '../support/application.ts'
import { allSubscribers, expectSuccess, importFile, makeField, makeList } from '../support/builders.ts'

const started = sharedApplication()

interface Reasons {
  reasons: { reason: string; rows: number }[]
}

async function failedRows(id: number, query = '') {
  return (await started.api.workbench<FailedRow[]>(
    'GET',
    `/subscriber_imports/${id}/failed_rows${query}`
  )) as Awaited<ReturnType<typeof started.api.workbench<FailedRow[]>>> & Reasons & { num_records: number }
}

async function correct(id: number, rows: { place: number; cells: string[] }[]): Promise<SubscriberImport> {
  const path = `/subscriber_imports/${id}/corrections`
  const { id: made } = expectSuccess(await started.api.workbench<SubscriberImport>('POST', path, { rows }))
  return started.api.imported(made)
}

async function linksOf(id: number): Promise<ImportLinks> {
  return expectSuccess(await started.api.workbench<ImportLinks>('GET', `/subscriber_imports/${id}/links`))
}

const text = [
  'email,Age,Note',
  'a@example.com,1,fine',
  'nobody,2,"two',
  'lines"',
  '',
  'b@example.com,x,no number',
  'c@example.com,4,fine',
  'd@example.com,y,no number either',
  'somebody,5,no address'
].join('\n')

async function imported() {
  const list = await makeList(started.api)
  await makeField(started.api, list.id, 'Age', 'number')
  await makeField(started.api, list.id, 'Note', 'text_multiline')
  const done = await importFile(started, list.id, `${text}\n`, { column_mapping: ['email', 'Age', 'Note'] })
  return { list, id: done.id, filename: done.file_source.filename }
}

describe('rows that failed', () => {
  it('are listed with their line and the faulty column, and by reason', async () => {
    const { id } = await imported()
    const page = await failedRows(id)
    expect(page.data).toEqual([
      {
        place: 0,
        line: 3,
        cells: ['nobody', '2', 'two\nlines'],
        complaint: 'email is not a valid email address: "nobody"',
        fault: refusal('email_address', { field: 'email', email: 'nobody' }),
        column: 0
      },
      {
        place: 1,
        line: 6,
        cells: ['b@example.com', 'x', 'no number'],
        complaint: 'Age must be a whole number, and "x" is not one',
        fault: refusal('not_whole_number', { field: 'Age', value: 'x' }),
        column: 1
      },
      expect.objectContaining({ place: 2, line: 8, column: 1 }),
      expect.objectContaining({ place: 3, line: 9, column: 0 })
    ])
    expect(page.reasons).toEqual([
      {
        reason: 'email is not a valid email address',
        fault: refusal('not_email_address', { field: 'email' }),
        rows: 2
      },
      {
        reason: 'Age must be a whole number, and … is not one',
        fault: refusal('not_whole_number', { field: 'Age', value: '…' }),
        rows: 2
      }
    ])
    const reason = encodeURIComponent('Age must be a whole number, and … is not one')
    const some = await failedRows(id, `?reason=${reason}&per_page=1&page=1`)
    expect(some.data.map(({ place }) => place)).toEqual([2])
    expect(some).toMatchObject({ num_records: 2, num_pages: 2 })
    expect(some.reasons).toHaveLength(2)
  })

  it('are grouped also if quoted text contains quotation marks', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'Age', 'number')
    const lines = [1, 2, 3].map((number) => `a${number}@example.com,"5"" x ${number}"\n`)
    const { id } = await importFile(started, list.id, `email,Age\n${lines.join('')}`, {
      column_mapping: ['email', 'Age']
    })
    expect((await failedRows(id)).reasons).toMatchObject([
      { reason: 'Age must be a whole number, and … is not one', rows: 3 }
    ])
  })

  it('that fail as a whole name no column', async () => {
    const list = await makeList(started.api)
    const { id } = await importFile(started, list.id, 'email\na@example.com,b,c\n')
    expect((await failedRows(id)).data).toMatchObject([{ column: null, cells: ['a@example.com', 'b', 'c'] }])
  })

  it('are listed for a dry run as for an import', async () => {
    const { list, filename } = await imported()
    const { data } = await started.api.workbench<{ id: string }>(
      'POST',
      `/mailing_lists/${list.id}/dry_runs`,
      { filename, reading: plainReading(['email', 'Age', 'Note']) }
    )
    const path = `/dry_runs/${data.id}/failed_rows`
    await expect
      .poll(async () => (await started.api.workbench<FailedRow[]>('GET', path)).data.map(({ line }) => line))
      .toEqual([3, 6, 8, 9])
  })
})

describe('corrected rows', () => {
  it('are imported alone, and the remaining ones are listed', async () => {
    const { list, id, filename } = await imported()
    const second = await correct(id, [
      { place: 2, cells: ['d@example.com', '7', 'a number'] },
      { place: 0, cells: ['nobody@example.com', '2', 'two\nlines'] }
    ])
    expect(second).toMatchObject({ state: 'finished', stats: { subscribers: { added: 2, failed: 0 } } })
    expect((await failedRows(id)).data.map(({ place }) => place)).toEqual([1, 3])
    const values = (await allSubscribers(started.api, list.id)).map(({ email, custom_fields }) => [
      email,
      custom_fields['Age']?.value,
      custom_fields['Note']?.value
    ])
    expect(values).toContainEqual(['nobody@example.com', 2, 'two\nlines'])
    expect(values).toHaveLength(4)
    expect(await linksOf(id)).toEqual({
      name: filename,
      corrects_id: null,
      file: null,
      is_undone: false,
      corrections: [{ id: second.id, state: 'finished', rows: 2, added: 2, updated: 0, failed: 0 }]
    })
    const path = `/subscriber_imports?mailing_list_id=${list.id}`
    const { data } = await started.api.workbench<ListedImport[]>('GET', path)
    expect(data).toMatchObject([
      { id: second.id, name: filename, failed: 0, corrected: 0, corrects_id: id },
      { id, name: filename, failed: 4, corrected: 2, corrects_id: null }
    ])
  })

  it('keep the name of the file and their lines, also when they fail again', async () => {
    const { id, filename } = await imported()
    const second = await correct(id, [
      { place: 3, cells: ['still nobody', '5', ''] },
      { place: 0, cells: ['a', '2', 'now\nthree\nlines'] }
    ])
    expect(second.stats.subscribers.failed).toBe(2)
    expect((await failedRows(second.id)).data.map(({ line }) => line)).toEqual([3, 9])
    const third = await correct(second.id, [{ place: 1, cells: ['at@last.example', '5', ''] }])
    expect(third.stats.subscribers.added).toBe(1)
    expect(await linksOf(third.id)).toMatchObject({ name: filename, corrects_id: second.id })
    expect((await failedRows(second.id)).data).toMatchObject([{ line: 3 }])
  })

  it('are not corrected twice, and other rows cannot be corrected', async () => {
    const { id } = await imported()
    const path = `/subscriber_imports/${id}/corrections`
    const row = { place: 0, cells: ['e@example.com', '1', ''] }
    await correct(id, [row])
    const refusal = async (rows: object[]) =>
      (await started.api.workbench('POST', path, { rows })).error_message
    expect(await refusal([row])).toBe('failed row 1 was already corrected')
    expect(
      await refusal([
        { ...row, place: 1 },
        { ...row, place: 1 }
      ])
    ).toBe('failed row 2 was already corrected')
    const both = await Promise.all([1, 1].map((place) => refusal([{ ...row, place }])))
    expect(both.toSorted()).toEqual(['failed row 2 was already corrected', null])
    expect(await refusal([{ ...row, place: 4 }])).toBe('failed row 5 does not exist, or no longer does')
    expect(await refusal([])).toContain('rows')
  })

  it('count as failed again after their import is undone; cells are imported as shown', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'Note', 'text')
    const { id } = await importFile(started, list.id, "email,Note\nbad,''=1\nother,2\n", {
      column_mapping: ['email', 'Note'],
      file_format: { escape_formulas: true }
    })
    const [row] = (await failedRows(id)).data
    const second = await correct(id, [{ place: 0, cells: ['a@example.com', row?.cells[1] ?? ''] }])
    const [added] = await allSubscribers(started.api, list.id)
    expect(added?.custom_fields['Note']?.value).toBe("'=1")
    expect((await failedRows(id)).num_records).toBe(1)
    expectSuccess(await started.api.workbench('POST', `/subscriber_imports/${second.id}/undo`))
    expect((await failedRows(id)).num_records).toBe(2)
    const path = `/subscriber_imports?mailing_list_id=${list.id}`
    const { data } = await started.api.workbench<ListedImport[]>('GET', path)
    expect(data.at(-1)).toMatchObject({ id, corrected: 0 })
  })
})
