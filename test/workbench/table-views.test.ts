import { expect, it } from 'vitest'
import type { TableView } from '../../src-main/workbench/table-views/schema.ts'
import { sharedApplication } from '../support/application.ts'
import { makeList } from '../support/builders.ts'

const started = sharedApplication()

const settings: Omit<TableView, 'id' | 'name'> = {
  clause: [{ type: 'email', operator: 'contains', value: 'a' }],
  segment_id: null,
  sort: { by: 'email', descending: true },
  columns: [
    { key: 'email', width: null },
    { key: 'field 12', width: 240 }
  ]
}

async function pathOfList(): Promise<string> {
  return `/mailing_lists/${(await makeList(started.api)).id}/table_views`
}

it('views of a list are saved under names; one of the same name, in any letter case, is replaced', async () => {
  const path = await pathOfList()
  const save = (name: string, changes = {}) =>
    started.api.workbench<TableView[]>('PUT', path, { name, ...settings, ...changes })
  await save('Vienna')
  expect((await save('Active ')).data).toEqual([
    { id: expect.any(Number) as number, name: 'Active', ...settings },
    { id: expect.any(Number) as number, name: 'Vienna', ...settings }
  ])
  const { data } = await save('VIENNA', { sort: null })
  expect(data.map(({ name, sort }) => [name, sort])).toEqual([
    ['Active', settings.sort],
    ['VIENNA', null]
  ])
  const left = await started.api.workbench<TableView[]>('DELETE', `${path}/${data[0]?.id}`)
  expect(left.data.map(({ name }) => name)).toEqual(['VIENNA'])
  expect((await started.api.workbench('DELETE', `${path}/${data[0]?.id}`)).error_code).toBe('not_found')
  expect((await started.api.workbench<TableView[]>('GET', await pathOfList())).data).toEqual([])
})

it('a view has a name, and columns of a width that can be seen', async () => {
  const path = await pathOfList()
  const refused = async (changes: object) =>
    (await started.api.workbench('PUT', path, { name: 'View', ...settings, ...changes })).error_message
  expect(await refused({ name: ' ' })).toContain('name')
  expect(await refused({ columns: [{ key: 'email', width: 5 }] })).toContain('columns.0.width')
  expect(await refused({ columns: [] })).toContain('columns')
  expect(await refused({ columns: [{ key: 'email; DROP', width: null }] })).toContain('columns.0.key')
  expect(await refused({ columns: [{ key: 'status', width: null }] })).toBe('columns must hold email')
  const email = { key: 'email', width: null }
  expect(await refused({ columns: [email, email] })).toBe('columns must not name a column twice')
  expect(await refused({ sort: { by: 999, descending: false } })).toContain('sort.by')
  expect(await refused({ segment_id: 999 })).toContain('segment 999')
  expect(await refused({ clause: [{ type: 'email', operator: 'rhymes with' }] })).toContain(
    'clause.0.operator'
  )
})
