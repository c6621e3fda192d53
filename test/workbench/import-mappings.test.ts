import { describe, expect, it } from 'vitest'
import type { ImportMapping } from '../../src-main/workbench/import-mappings/schema.ts'
import { clientOfUser, makeOrganization } from '../support/accounts.ts'
import { sharedApplication } from '../support/application.ts'
import { makeField, makeList } from '../support/builders.ts'
import { analysisOf, importAsRead, plainReading, readingColumn, upload } from '../support/contact-files.ts'

const started = sharedApplication()

const mapping = {
  name: 'Shop',
  reading: plainReading(['email', 'City', null]),
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
  it('are proposed as they were read last, as long as the list has where they went', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    const gone = await makeField(started.api, list.id, 'Gone', 'text')
    const reading = plainReading([], {
      columns: [
        readingColumn('email', { header: ' E-Post ' }),
        readingColumn('City', { header: 'Town' }),
        readingColumn(null, { header: 'City' }),
        readingColumn('Gone', { header: 'Age' })
      ]
    })
    const first = await upload(started.api, 'first.csv', 'E-Post,Town,City,Age\na@example.com,Wien,x,3\n')
    await importAsRead(started, list.id, first, reading)
    await started.api.delete(`/mailing_lists/${list.id}/custom_fields/${gone.id}`)

    const { data } = await analysisOf(started.api, list.id, 'e-post,Town,CITY,Age\nb@example.com,Graz,x,4\n')

    expect(data.reading.columns.map(({ target }) => target)).toEqual(['email', 'City', null, 'Age'])
    expect(data.columns.map(({ remembered }) => remembered)).toEqual([true, true, true, false])
  })

  it('keep the order of their dates and the meaning of their words', async () => {
    const list = await makeList(started.api)
    const content = (day: string) => `email,Joined,State\na@example.com,${day},VIP\n`
    const { data, filename } = await analysisOf(started.api, list.id, content('01/02/2021'))
    const [email, joined, state] = data.reading.columns
    if (!email || !joined || !state) throw new Error('a column is missing')
    const status = {
      kind: 'status' as const,
      words: { vip: 'unsubscribed' as const },
      blank: null,
      other: null
    }
    await importAsRead(started, list.id, filename, {
      ...data.reading,
      columns: [
        email,
        { ...joined, new_field_type: 'date', date_order: 'dmy' },
        { ...state, target: 'status', new_field_type: null, status }
      ]
    })

    const next = await analysisOf(started.api, list.id, content('03/04/2021'))

    expect(next.data.reading.columns).toMatchObject([
      {},
      { target: 'Joined', date_order: 'dmy' },
      { target: 'status', status }
    ])
  })
})
