import { describe, expect, it } from 'vitest'
import type { CustomField } from '../../src-main/api/custom-fields/schema.ts'
import { sharedApplication } from '../support/application.ts'
import { makeField, makeList, makeSubscriber } from '../support/builders.ts'

const started = sharedApplication()
const fieldsOf = (listId: number): string => `/mailing_lists/${listId}/custom_fields`

/** The extra attributes of each type. */
const attributes: Record<string, string[]> = {
  text: [
    'default_string',
    'minimum_length',
    'maximum_length',
    'interpolation_html_encode',
    'interpolation_url_encode'
  ],
  text_multiline: [
    'default_string',
    'minimum_length',
    'maximum_length',
    'interpolation_html_encode',
    'interpolation_url_encode',
    'number_of_rows',
    'interpolation_html_newlines'
  ],
  number: ['default_integer', 'minimum_value', 'maximum_value'],
  date: [],
  day_of_year: [],
  select_single_dropdown: ['options'],
  select_single_radio: ['options'],
  select_multiple_checkboxes: ['options'],
  boolean: ['default_boolean']
}
const common = ['id', 'is_global', 'mailing_list_id', 'name', 'field_type', 'required', 'instructions']

/** For each type: a value as a request sends it, and as the API answers it. */
const values: [type: string, given: unknown, answered: unknown][] = [
  ['text', 'Zürich', 'Zürich'],
  ['text_multiline', 'one\ntwo', 'one\ntwo'],
  ['number', '42', 42],
  ['number', -7, -7],
  ['date', '2014-02-28', '2014-02-28'],
  ['date', 'March 9, 2015', '2015-03-09'],
  ['day_of_year', '02-28', '02-28'],
  ['select_single_dropdown', 'Red', 'Red'],
  ['select_single_radio', 'blue', 'Blue'],
  ['select_multiple_checkboxes', ['Blue', 'Red'], ['Red', 'Blue']],
  ['select_multiple_checkboxes', [], []],
  ['boolean', 'yes', true],
  ['boolean', false, false],
  ['text', null, null]
]

/** For each type: what it refuses. */
const refusals: [type: string, given: unknown, settings?: Record<string, unknown>][] = [
  ['text', 'too long', { maximum_length: 3 }],
  ['text', 'a', { minimum_length: 2 }],
  ['number', '4.5'],
  ['number', 9, { maximum_value: 8 }],
  ['number', 'nine'],
  ['date', '2014-02-30'],
  ['day_of_year', 'someday'],
  ['select_single_dropdown', 'Green'],
  ['select_multiple_checkboxes', ['Red', 'Green']],
  ['boolean', 'perhaps'],
  ['text', '', { required: true }]
]

const options = [{ name: 'Red' }, { name: 'Blue' }]
const needsOptions = (type: string): boolean => type.startsWith('select_')

describe('a custom field', () => {
  it.each(Object.keys(attributes))('of type %s answers the attributes of its type', async (type) => {
    const list = await makeList(started.api)
    const field = await makeField(started.api, list.id, 'Field', type, needsOptions(type) ? { options } : {})
    expect(Object.keys(field).sort()).toEqual([...common, ...(attributes[type] ?? [])].sort())
    expect(field).toMatchObject({ is_global: false, mailing_list_id: list.id, required: false })
  })

  it('of text encodes for HTML and addresses unless told otherwise', async () => {
    const list = await makeList(started.api)
    const field = await makeField(started.api, list.id, 'Field', 'text')
    expect(field).toMatchObject({ interpolation_html_encode: true, interpolation_url_encode: true })
  })

  it('has a name that its list has once, whatever its case', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    const answer = await started.api.post(fieldsOf(list.id), {
      custom_field: { name: 'CITY', field_type: 'text' }
    })
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(/^name /)
  })

  it('cannot have the name of a column that imports reserve', async () => {
    const list = await makeList(started.api)
    const answer = await started.api.post(fieldsOf(list.id), {
      custom_field: { name: 'Email', field_type: 'text' }
    })
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
  })

  it('keeps what an update leaves out', async () => {
    const list = await makeList(started.api)
    const field = await makeField(started.api, list.id, 'Age', 'number', { minimum_value: 18 })
    const { data } = await started.api.put<CustomField>(`${fieldsOf(list.id)}/${field.id}`, {
      custom_field: { name: 'Years' }
    })
    expect(data).toMatchObject({ name: 'Years', minimum_value: 18, field_type: 'number' })
  })

  it('that is global is a field of every list', async () => {
    const list = await makeList(started.api)
    const name = `Global ${list.id}`
    const { data } = await started.api.post<CustomField>('/custom_fields', {
      custom_field: { name, field_type: 'text' }
    })
    expect(data).toMatchObject({ is_global: true, mailing_list_id: null })
    const all = await started.api.get<CustomField[]>(`${fieldsOf(list.id)}?name=${name.toUpperCase()}`)
    expect(all.data.map(({ id }) => id)).toEqual([data.id])
  })
})

describe('the custom fields of a list', () => {
  it('are filtered by name and ordered by name or id', async () => {
    const list = await makeList(started.api)
    const [zip, city] = [
      await makeField(started.api, list.id, 'Zip of home', 'text'),
      await makeField(started.api, list.id, 'City of home', 'text')
    ]
    const ids = async (query: string): Promise<number[]> =>
      (
        await started.api.get<CustomField[]>(`${fieldsOf(list.id)}?name_contains=of%20HOME&${query}`)
      ).data.map(({ id }) => id)
    expect(await ids('')).toEqual([zip.id, city.id])
    expect(await ids('order_by=name')).toEqual([city.id, zip.id])
    expect(await ids('order_by=name&per_page=1&page=1')).toEqual([zip.id])
  })

  it('come 2000 to a page', async () => {
    const list = await makeList(started.api)
    expect(await started.api.get(fieldsOf(list.id))).toMatchObject({ page: 0, per_page: 2000 })
  })
})

describe('the value of a field', () => {
  it.each(values)('of type %s is taken as %j and answered as %j', async (type, given, answered) => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'Field', type, needsOptions(type) ? { options } : {})
    const subscriber = await makeSubscriber(started.api, list.id, 'a@example.com', {
      custom_fields: { Field: given }
    })
    expect(subscriber.custom_fields['Field']).toEqual({ name: 'Field', type, value: answered })
  })

  it.each(refusals)('of type %s cannot be %j (%j)', async (type, given, settings = {}) => {
    const list = await makeList(started.api)
    const choice = needsOptions(type) ? { options } : {}
    await makeField(started.api, list.id, 'Field', type, { ...choice, ...settings })
    const answer = await started.api.post(`/mailing_lists/${list.id}/subscribers`, {
      subscriber: { email: 'a@example.com', status: 'active', custom_fields: { Field: given } }
    })
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(/^Field /)
  })

  it('may come as {name, value}', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    const subscriber = await makeSubscriber(started.api, list.id, 'a@example.com', {
      custom_fields: { city: { name: 'City', value: 'Wien' } }
    })
    expect(subscriber.custom_fields['City']?.value).toBe('Wien')
  })

  it('shows an option under its new name once the option is renamed', async () => {
    const list = await makeList(started.api)
    const field = await makeField(started.api, list.id, 'Colour', 'select_single_dropdown', { options })
    const made = await makeSubscriber(started.api, list.id, 'a@example.com', {
      custom_fields: { Colour: 'Red' }
    })
    const [red, blue] = field.options ?? []
    await started.api.put(`${fieldsOf(list.id)}/${field.id}`, {
      custom_field: { options: [{ id: red?.id, name: 'Crimson' }, blue] }
    })
    const { data } = await started.api.get<{ custom_fields: Record<string, { value: unknown }> }[]>(
      `/mailing_lists/${list.id}/subscribers/${made.id}`
    )
    expect(data[0]?.custom_fields['Colour']?.value).toBe('Crimson')
  })
})
