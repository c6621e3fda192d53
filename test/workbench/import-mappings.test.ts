import { describe, expect, it } from 'vitest'
import type { ImportMapping } from '../../src-main/workbench/import-mappings/schema.ts'
import type { ImportPreview } from '../../src-main/workbench/endpoints/import-preview.ts'
import { clientOfUser, makeOrganization } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import { makeField, makeList } from '../support/builders.ts'

const started = sharedApplication()

const mapping = {
  name: 'Shop',
  columns: [
    { header: 'Mail', target: 'email' },
    { header: 'Town', target: 'City' },
    { header: 'Notes', target: null }
  ],
  date_format: 'dmy',
  overwrite: true
}

function mappings(listId: number, method = 'GET', body?: unknown) {
  return started.api.workbench<ImportMapping[]>(method, `/mailing_lists/${listId}/import_mappings`, body)
}

describe('saved mappings of a list', () => {
  it('are listed by name with all that the wizard asks, and replaced under the same name', async () => {
    const list = await makeList(started.api)
    await mappings(list.id, 'PUT', { ...mapping, name: 'Travel' })
    await mappings(list.id, 'PUT', mapping)
    const { data } = await mappings(list.id, 'PUT', { ...mapping, name: ' shop', overwrite: false })
    expect(data.map(({ name, overwrite }) => [name, overwrite])).toEqual([
      ['shop', false],
      ['Travel', true]
    ])
    expect(data[1]).toMatchObject({
      ...mapping,
      name: 'Travel',
      overwrite_what: { custom_fields: true, status: false },
      overwrite_when_status: { active: true, bounced: false },
      subscriber_defaults: { status: 'active' }
    })
    expect((await mappings((await makeList(started.api)).id)).data).toEqual([])
  })

  it('are deleted, and belong to their organization', async () => {
    const list = await makeList(started.api)
    const { data } = await mappings(list.id, 'PUT', mapping)
    const path = `/mailing_lists/${list.id}/import_mappings/${data[0]?.id}`
    const stranger = await clientOfUser(started, {
      organizationId: await makeOrganization(started),
      role: 'organization_admin'
    })
    expect((await stranger.workbench('DELETE', path)).error_code).toBe('not_found')
    expect((await started.api.workbench('DELETE', path)).data).toEqual([])
    expect((await started.api.workbench('DELETE', path)).error_code).toBe('not_found')
  })
})

describe('columns that are remembered by their header', () => {
  it('are suggested as they went last, as long as the list has where', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    const columns = [
      { header: ' E-Post ', target: 'email' },
      { header: 'Town', target: 'City' },
      { header: 'City', target: null },
      { header: 'Age', target: 'A field that is gone' },
      { header: '', target: 'City' }
    ]
    await started.api.workbench('PUT', `/mailing_lists/${list.id}/remembered_columns`, { columns })
    const upload = await started.api.raw('/app/v1/uploads/remembered.csv', {
      method: 'PUT',
      body: 'e-post,Town,CITY,Age\na@example.com,Wien,x,3\n'
    })
    const { filename } = ((await upload.json()) as { data: { filename: string } }).data
    const { data } = await started.api.workbench<ImportPreview>(
      'POST',
      `/mailing_lists/${list.id}/import_preview`,
      { filename, file_format: {} }
    )
    expect(data.columns.map(({ suggestion, remembered }) => [suggestion, remembered])).toEqual([
      ['email', true],
      ['City', true],
      [null, true],
      [null, false]
    ])
  })
})
