import SQLite from 'better-sqlite3'
import fc from 'fast-check'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { SubscriberCounts } from '../../src-main/api/subscriber-counts/schema.ts'
import type { Subscriber } from '../../src-main/api/subscribers/schema.ts'
import type { ImportUndo } from '../../src-main/workbench/import-undos/endpoints.ts'
import type { ImportLinks, ListedImport } from '../../src-main/workbench/imports/endpoints.ts'
import { clientOfUser } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import { allSubscribers, importText, makeField, makeList, makeSubscriber } from '../support/builders.ts'

const started = sharedApplication()
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)

function undoOf(importId: number, method = 'GET') {
  return started.api.workbench<ImportUndo>(method, `/subscriber_imports/${importId}/undo`)
}

async function undone(importId: number): Promise<ImportUndo> {
  const begun = await undoOf(importId, 'POST')
  expect(begun.error_message).toBeNull()
  for (let { data } = begun; ; { data } = await undoOf(importId)) {
    if (data.state === 'finished') return data
    await pause(10)
  }
}

async function newList() {
  const list = await makeList(started.api, { has_confirmed: true, has_format: true })
  await makeField(started.api, list.id, 'City', 'text')
  return list
}

/** A subscriber without the time of writing. */
function content({ updated_at: _, ...rest }: Subscriber & { updated_at?: unknown }) {
  return rest
}

const overwriting = {
  column_mapping: ['email', 'City', 'status', 'confirmed', 'email_format'],
  file_format: { csv_has_headers: false },
  overwrite: true,
  overwrite_what: { custom_fields: true, status: true, confirmed: true, format: true },
  overwrite_when_status: { active: true, unsubscribed: true, bounced: true, deactivated: true, scomp: true }
}

it('an import that was undone says so where it is listed', async () => {
  const list = await makeList(started.api)
  const { id } = await importText(started.api, list.id, 'email\na@example.com\n')
  const listed = async () =>
    (await started.api.workbench<ListedImport[]>('GET', `/subscriber_imports?mailing_list_id=${list.id}`))
      .data
  expect((await listed()).map(({ is_undone }) => is_undone)).toEqual([false])
  await undone(id)
  expect((await listed()).map(({ is_undone }) => is_undone)).toEqual([true])
  const links = await started.api.workbench<ImportLinks>('GET', `/subscriber_imports/${id}/links`)
  expect(links.data.is_undone).toBe(true)
})

describe('undoing an import', () => {
  it(`brings the list back as it was (SEED=${seed})`, async () => {
    const person = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
    const row = fc.tuple(
      person.map((name) => `${name}@example.com`),
      fc.constantFrom('Wien', 'Graz', ''),
      fc.constantFrom('active', 'unsubscribed', 'bounced', ''),
      fc.constantFrom('true', 'false', ''),
      fc.constantFrom('html', 'text', '')
    )
    await fc.assert(
      fc.asyncProperty(fc.array(row), fc.array(row, { minLength: 1 }), async (known, rows) => {
        const list = await newList()
        const text = (lines: string[][]): string => lines.map((line) => `${line.join()}\n`).join('')
        if (known.length > 0) await importText(started.api, list.id, text(known), overwriting)
        const before = await allSubscribers(started.api, list.id)
        const countsBefore = await countsOf(list.id)
        const { id, stats } = await importText(started.api, list.id, text(rows), overwriting)
        if ((await undoOf(id)).data.state === 'impossible') {
          // Nothing differed.
          expect((await allSubscribers(started.api, list.id)).map(content)).toEqual(before.map(content))
          return
        }
        const undo = await undone(id)
        expect(undo).toMatchObject({ removed: stats.subscribers.added, kept: 0, kept_subscribers: [] })
        expect((await allSubscribers(started.api, list.id)).map(content)).toEqual(before.map(content))
        expect(await countsOf(list.id)).toEqual(countsBefore)
      }),
      { seed, numRuns: 10 }
    )
  })

  async function countsOf(listId: number) {
    const { data } = await started.api.get<SubscriberCounts>('/subscriber_counts')
    return data.mailing_lists.find(({ mailing_list }) => mailing_list.id === listId)?.counts
  }

  it('skips subscribers that were changed since, and names them; deleted ones stay deleted', async () => {
    const list = await newList()
    for (const name of ['known', 'touched', 'gone']) {
      await makeSubscriber(started.api, list.id, `${name}@example.com`, { custom_fields: { City: 'Graz' } })
    }
    const { id } = await importText(
      started.api,
      list.id,
      ['known', 'touched', 'gone', 'new', 'edited', 'deleted']
        .map((name) => `${name}@example.com,Wien,,,\n`)
        .join(''),
      overwriting
    )
    const path = `/mailing_lists/${list.id}/subscribers`
    for (const name of ['touched', 'edited']) {
      // Setting the same value again is a change as well: a user did it on purpose.
      await started.api.put(`${path}/${name}@example.com`, {
        subscriber: { custom_fields: { City: 'Linz' } }
      })
    }
    for (const name of ['gone', 'deleted']) await started.api.delete(`${path}/${name}@example.com`)

    const undo = await undone(id)
    expect(undo).toMatchObject({ removed: 1, restored: 1, kept: 2 })
    expect(undo.kept_subscribers.map(({ email, reason }) => [email, reason]).toSorted()).toEqual([
      ['edited@example.com', 'changed'],
      ['touched@example.com', 'changed']
    ])
    const left = await allSubscribers(started.api, list.id)
    expect(left.map(({ email, custom_fields }) => [email, custom_fields['City']?.value])).toEqual([
      ['known@example.com', 'Graz'],
      ['touched@example.com', 'Linz'],
      ['edited@example.com', 'Linz']
    ])
    const csv = await started.api.raw(`/app/v1/subscriber_imports/${id}/undo/kept`)
    expect((await csv.text()).split('\n').toSorted()).toEqual([
      '',
      'edited@example.com,changed since the import',
      'email,why it was left as it is',
      'touched@example.com,changed since the import'
    ])
  })

  it('records the subscribers that it restores and deletes in the change log', async () => {
    const list = await newList()
    await importText(started.api, list.id, 'a@example.com,Wien,active,true,html\n', overwriting)
    const text = 'a@example.com,Graz,active,true,html\nb@example.com,Graz,active,true,html\n'
    const { id } = await importText(started.api, list.id, text, overwriting)
    const subscribers = await allSubscribers(started.api, list.id)
    const database = new SQLite(join(started.dataDirectory, 'listwright.db'), { readonly: true })
    const last = database.prepare('SELECT max(id) FROM change_log').pluck().get()
    await undone(id)
    const changes = database
      .prepare(
        `SELECT action, first_id FROM change_log WHERE id > ? AND entity = 'subscriber' AND mailing_list_id = ? ORDER BY action`
      )
      .all(last, list.id)
    database.close()
    const idOf = (name: string) => subscribers.find(({ email }) => email === `${name}@example.com`)?.id
    expect(changes).toEqual([
      { action: 'delete', first_id: idOf('b') },
      { action: 'update', first_id: idOf('a') }
    ])
  })

  it('leaves out values that mean nothing any more', async () => {
    const { api } = started
    const list = await makeList(api)
    const fields = `/mailing_lists/${list.id}/custom_fields`
    const options = [{ name: 'S' }, { name: 'M' }]
    const size = await makeField(api, list.id, 'Size', 'select_single_dropdown', { options })
    const colors = await makeField(api, list.id, 'Colors', 'select_multiple_checkboxes', { options })
    const code = await makeField(api, list.id, 'Code', 'text')
    await makeField(api, list.id, 'City', 'text')
    await makeSubscriber(api, list.id, 'a@example.com', {
      custom_fields: { Size: 'M', Colors: ['S', 'M'], Code: 'x', City: 'Graz' }
    })
    const { id } = await importText(api, list.id, 'a@example.com,S,S,,Wien\n', {
      ...overwriting,
      column_mapping: ['email', 'Size', 'Colors', 'Code', 'City']
    })
    const change = async (field: { id: number }, custom_field: Record<string, unknown>): Promise<void> => {
      expect((await api.put(`${fields}/${field.id}`, { custom_field })).error_message).toBeNull()
    }
    await change(size, { options: [{ name: 'S' }] })
    await change(colors, { options: [{ name: 'S' }] })
    await change(code, { field_type: 'number' })
    expect(await undone(id)).toMatchObject({ restored: 1 })
    const [subscriber] = await allSubscribers(api, list.id)
    const values = Object.values(subscriber?.custom_fields ?? {}).map(({ name, value }) => [name, value])
    expect(Object.fromEntries(values)).toEqual({ Size: null, Colors: ['S'], Code: null, City: 'Graz' })
  })

  it("leaves subscribers unchanged if the list's primary key field changed after the import", async () => {
    const list = await makeList(started.api)
    const number = await makeField(started.api, list.id, 'Number', 'text')
    await makeSubscriber(started.api, list.id, 'a@example.com', { custom_fields: { Number: 'A1' } })
    const { id } = await importText(started.api, list.id, 'a@example.com,A2\n', {
      column_mapping: ['email', 'Number'],
      file_format: { csv_has_headers: false },
      overwrite: true
    })
    const rekeyed = await started.api.put(`/mailing_lists/${list.id}`, {
      mailing_list: { primary_key_custom_field_id: number.id }
    })
    expect(rekeyed.error_message).toBeNull()
    expect(await undone(id)).toMatchObject({
      kept: 1,
      kept_subscribers: [{ email: 'a@example.com', reason: 'primary_key' }]
    })
  })

  it('is refused for an import that runs, was undone, or changed nothing', async () => {
    const list = await newList()
    const later = await started.api.post<{ id: number }>(`/mailing_lists/${list.id}/subscriber_imports`, {
      subscriber_import: {
        begins_at: '2040-01-01T00:00:00Z',
        column_mapping: ['email'],
        file_source: { type: 'json', content: 'email\n' }
      }
    })
    expect((await undoOf(later.data.id, 'POST')).error_message).toContain('scheduled cannot be undone')
    const first = await importText(started.api, list.id, 'email\na@example.com\n')
    await undone(first.id)
    expect((await undoOf(first.id, 'POST')).error_message).toContain('undone already')
    const empty = await importText(started.api, list.id, 'email\n')
    expect((await undoOf(empty.id)).data.state).toBe('impossible')
    expect((await undoOf(empty.id, 'POST')).error_message).toContain('changed nothing')
  })

  it('takes back what a cancelled import had done', async () => {
    const list = await newList()
    const lines = Array.from({ length: 60_000 }, (_, number) => `p${number}@example.com`)
    const { data } = await started.api.post<{ id: number }>(`/mailing_lists/${list.id}/subscriber_imports`, {
      subscriber_import: {
        column_mapping: ['email'],
        file_format: { csv_has_headers: false },
        file_source: { type: 'json', content: lines.join('\n') }
      }
    })
    for (let imported = 0; imported === 0;) {
      const { stats } = (
        await started.api.get<{ stats: { records_imported: number } }>(`/subscriber_imports/${data.id}`)
      ).data
      imported = stats.records_imported
    }
    await started.api.post(`/subscriber_imports/${data.id}/cancel`)
    const { stats } = await started.api.imported(data.id)
    expect(await undone(data.id)).toMatchObject({ removed: stats.subscribers.added, kept: 0 })
    expect(await allSubscribers(started.api, list.id)).toEqual([])
  })

  it('needs the permissions to import, to change and to delete subscribers', async () => {
    const list = await newList()
    const { id } = await importText(started.api, list.id, 'email\na@example.com\n')
    for (const missing of ['import', 'update', 'delete']) {
      const subscriber = ['import', 'update', 'delete'].filter((action) => action !== missing)
      const user = await clientOfUser(started, { permissions: { subscriber } })
      const answer = await user.workbench('POST', `/subscriber_imports/${id}/undo`)
      expect(answer.error_code, missing).toBe('not_authorized')
    }
  })
})

it('an undo that skips all subscribers reports its progress to listeners', async () => {
  const list = await newList()
  const { id } = await importText(started.api, list.id, 'email\na@example.com\n', {
    column_mapping: ['email']
  })
  await started.api.put(`/mailing_lists/${list.id}/subscribers/a@example.com`, {
    subscriber: { custom_fields: { City: 'Bern' } }
  })
  const database = new SQLite(join(started.dataDirectory, 'listwright.db'), { readonly: true })
  const told = () =>
    database
      .prepare("SELECT count(*) FROM change_log WHERE entity = 'subscriber_import' AND first_id = ?")
      .pluck()
      .get(id) as number
  const before = told()
  expect(await undone(id)).toMatchObject({ kept: 1, removed: 0 })
  // That it began, that it went on, and that it ended.
  expect(told() - before).toBe(3)
  database.close()
})
