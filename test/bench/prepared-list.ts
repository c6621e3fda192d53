import { openAsBlob } from 'node:fs'
import { join } from 'node:path'
import type { SubscriberExport } from '../../src-main/api/subscriber-exports/schema.ts'
import type { MailingList } from '../../src-main/api/mailing-lists/schema.ts'
import type { SubscriberImport } from '../../src-main/api/subscriber-imports/schema.ts'
import { makeField, makeList } from '../support/builders.ts'
import type { Client } from '../support/client.ts'
import { columns, furtherColumns, writePeople } from './people.ts'

/** Longest that ten million rows take on a slow machine, in milliseconds. */
export const maxJobTime = 30 * 60 * 1000

/** Creates a list with the fields of the file that writePeople() writes. */
export async function makePeopleList(api: Client, further = 0): Promise<MailingList> {
  const list = await makeList(api, { name: 'Bench' })
  for (const [name, type] of Object.entries({ age: 'number', 'signup date': 'date' })) {
    await makeField(api, list.id, name, type)
  }
  for (const name of ['first name', 'last name', 'city', ...furtherColumns(further)]) {
    await makeField(api, list.id, name, 'text')
  }
  return list
}

/** Copies a file into the upload directory. @returns its name there */
export async function upload(api: Client, file: string): Promise<string> {
  const response = await api.raw('/app/v1/uploads/people.csv', {
    method: 'PUT',
    body: await openAsBlob(file)
  })
  return ((await response.json()) as { data: { filename: string } }).data.filename
}

/** Imports a people's file from the upload directory and waits for the end. */
export async function importPeople(
  api: Client,
  list: MailingList,
  filename: string,
  { further = 0, overwrite = false } = {}
): Promise<SubscriberImport> {
  const { data } = await api.post<SubscriberImport>(`/mailing_lists/${list.id}/subscriber_imports`, {
    subscriber_import: {
      column_mapping: [...columns, ...furtherColumns(further)],
      overwrite,
      file_source: { type: 'upload_directory', filename }
    }
  })
  return api.imported(data.id, maxJobTime)
}

/** Exports a list and waits for the end. @throws if not every row is there */
export async function exportWhole(api: Client, list: MailingList, rows: number): Promise<void> {
  const { data } = await api.post<SubscriberExport>(`/mailing_lists/${list.id}/subscriber_exports`, {
    subscriber_export: {}
  })
  const { stats } = await api.exported(data.id, maxJobTime)
  if (stats.records_exported !== rows) throw new Error(`not every row is there: ${JSON.stringify(stats)}`)
}

/** A list of so many people, with five fields and some further ones. @returns it and some of the addresses */
export async function makeFilledList(
  api: Client,
  directory: string,
  rows: number,
  further: number
): Promise<{ list: MailingList; emails: string[] }> {
  const list = await makePeopleList(api, further)
  const file = join(directory, 'people.csv')
  const emails = await writePeople(file, rows, further)
  const { stats } = await importPeople(api, list, await upload(api, file), { further })
  if (stats.subscribers.added !== rows) throw new Error(`not every row was added: ${JSON.stringify(stats)}`)
  return { list, emails }
}
