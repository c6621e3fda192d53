import { describe, expect, it } from 'vitest'
import type { CustomField } from '../../src-main/api/custom-fields/schema.ts'
import { sharedApplication } from '../support/application.ts'
import { allSubscribers, makeField, makeList, makeSubscriber } from '../support/builders.ts'

const started = sharedApplication()
const fieldsOf = (listId: number): string => `/mailing_lists/${listId}/custom_fields`

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
  ['text', null, null],
  // White space alone is no value.
  ['number', ' ', null],
  ['date', ' ', null],
  ['day_of_year', ' ', null],
  ['boolean', ' ', null],
  ['select_single_dropdown', ' ', null]
]

const refusals: [type: string, given: unknown, settings?: Record<string, unknown>][] = [
  ['text', 'too long', { maximum_length: 3 }],
  ['text', 'a', { minimum_length: 2 }],
  ['number', '4.5'],
  ['number', 9, { maximum_value: 8 }],
  ['number', 'nine'],
  ['date', '2014-02-30'],
  ['date', 20140228],
  ['day_of_year', 'someday'],
  ['day_of_year', 131],
  ['select_single_dropdown', 'Green'],
  ['select_multiple_checkboxes', ['Red', 'Green']],
  ['boolean', 'perhaps'],
  ['text', '', { required: true }]
]

const options = [{ name: 'Red' }, { name: 'Blue' }]
const needsOptions = (type: string): boolean => type.startsWith('select_')

describe('a custom field', () => {
  it.each(Object.keys(attributes))('of type %s returns the attributes of its type', async (type) => {
    const list = await makeList(started.api)
    const field = await makeField(started.api, list.id, 'Field', type, needsOptions(type) ? { options } : {})
    expect(Object.keys(field).sort()).toEqual([...common, ...(attributes[type] ?? [])].sort())
    expect(field).toMatchObject({ is_global: false, mailing_list_id: list.id, required: false })
  })

  it('of text is encoded for HTML and addresses by default', async () => {
    const list = await makeList(started.api)
    const field = await makeField(started.api, list.id, 'Field', 'text')
    expect(field).toMatchObject({ interpolation_html_encode: true, interpolation_url_encode: true })
  })

  it('has a name that is unique on its list, in any letter case', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text')
    const answer = await started.api.post(fieldsOf(list.id), {
      custom_field: { name: 'CITY', field_type: 'text' }
    })
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(/^name /)
  })

  it('cannot have the name of a reserved import column', async () => {
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

  it('that is global belongs to every list', async () => {
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

describe('deleting a custom field', () => {
  it('answers null, hides the field and its values, and lists it among the deleted with the time', async () => {
    const list = await makeList(started.api)
    const field = await makeField(started.api, list.id, 'City', 'text')
    await makeSubscriber(started.api, list.id, 'a@example.com', { custom_fields: { City: 'Wien' } })
    expect(await started.api.delete(`${fieldsOf(list.id)}/${field.id}`)).toMatchObject({
      success: true,
      data: null
    })
    const [subscriber] = await allSubscribers(started.api, list.id)
    expect(Object.keys(subscriber?.custom_fields ?? {})).not.toContain('City')
    expect(await started.api.get(`/custom_fields/${field.id}`)).toMatchObject({ error_code: 'not_found' })
    const { data } = await started.api.get<unknown[]>(`${fieldsOf(list.id)}/deleted`)
    expect(data).toEqual([{ ...field, deleted_at: expect.stringMatching(/^\d{4}-.*Z$/) as string }])
  })

  it('makes its name available for another field, which starts without values', async () => {
    const list = await makeList(started.api)
    const field = await makeField(started.api, list.id, 'City', 'text')
    await makeSubscriber(started.api, list.id, 'a@example.com', { custom_fields: { City: 'Wien' } })
    await started.api.delete(`/custom_fields/${field.id}`)
    await makeField(started.api, list.id, 'City', 'number')
    const [subscriber] = await allSubscribers(started.api, list.id)
    expect(subscriber?.custom_fields['City']?.value).toBeNull()
  })

  it('is refused with data.dependencies while the field is the primary key of its list', async () => {
    const list = await makeList(started.api)
    const field = await makeField(started.api, list.id, 'Number', 'text')
    await started.api.put(`/mailing_lists/${list.id}`, {
      mailing_list: { primary_key_custom_field_id: field.id }
    })
    expect(await started.api.delete(`${fieldsOf(list.id)}/${field.id}`)).toMatchObject({
      success: false,
      error_code: 'validation_failed',
      data: { dependencies: [{ type: 'mailing_list', id: list.id }] }
    })
  })

  it('works for global fields, which are listed among the deleted of the organization', async () => {
    const { data: field } = await started.api.post<CustomField>('/custom_fields', {
      custom_field: { name: 'Passing', field_type: 'text' }
    })
    await started.api.delete(`/custom_fields/${field.id}`)
    const { data } = await started.api.get<CustomField[]>('/custom_fields/deleted')
    expect(data.map(({ id }) => id)).toContain(field.id)
  })

  it('of another list than the path names is not_found', async () => {
    const [list, other] = [await makeList(started.api), await makeList(started.api)]
    const field = await makeField(started.api, list.id, 'City', 'text')
    expect(await started.api.delete(`${fieldsOf(other.id)}/${field.id}`)).toMatchObject({
      error_code: 'not_found'
    })
  })
})

describe('promoting a custom field', () => {
  it('makes it global and keeps the values', async () => {
    const [list, other] = [await makeList(started.api), await makeList(started.api)]
    const name = `Promoted ${list.id}`
    const field = await makeField(started.api, list.id, name, 'text')
    await makeSubscriber(started.api, list.id, 'a@example.com', { custom_fields: { [name]: 'kept' } })
    const { data } = await started.api.post<CustomField>('/custom_fields/promote', {
      promote: { custom_field_id: field.id }
    })
    expect(data).toEqual({ ...field, is_global: true, mailing_list_id: null })
    const [subscriber] = await allSubscribers(started.api, list.id)
    expect(subscriber?.custom_fields[name]?.value).toBe('kept')
    const fields = await started.api.get<CustomField[]>(fieldsOf(other.id))
    expect(fields.data.map(({ id }) => id)).toContain(field.id)
    await started.api.delete(`/custom_fields/${field.id}`)
  })

  it('is refused while another list has a field of that name', async () => {
    const [list, other] = [await makeList(started.api), await makeList(started.api)]
    const field = await makeField(started.api, list.id, 'Shoe size', 'text')
    await makeField(started.api, other.id, 'SHOE SIZE', 'number')
    const answer = await started.api.post('/custom_fields/promote', {
      promote: { custom_field_id: field.id }
    })
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
    expect(answer.error_message).toContain(`mailing list ${other.id}`)
  })
})

describe('changing a custom field', () => {
  it.each([
    ['text', 'text_multiline'],
    ['select_single_dropdown', 'select_single_radio']
  ])('from %s to %s keeps the values', async (from, to) => {
    const list = await makeList(started.api)
    const field = await makeField(started.api, list.id, 'Field', from, needsOptions(from) ? { options } : {})
    await makeSubscriber(started.api, list.id, 'a@example.com', { custom_fields: { Field: 'Red' } })
    const answer = await started.api.put<CustomField>(`${fieldsOf(list.id)}/${field.id}`, {
      custom_field: { field_type: to }
    })
    expect(answer.data).toMatchObject({ field_type: to })
    const [subscriber] = await allSubscribers(started.api, list.id)
    expect(subscriber?.custom_fields['Field']).toEqual({ name: 'Field', type: to, value: 'Red' })
  })

  it('is refused where values would lose their meaning: another type, an option that is gone', async () => {
    const list = await makeList(started.api)
    const text = await makeField(started.api, list.id, 'Text', 'text')
    const choice = await makeField(started.api, list.id, 'Choice', 'select_single_radio', { options })
    await makeSubscriber(started.api, list.id, 'a@example.com', {
      custom_fields: { Text: 'seven', Choice: 'Blue' }
    })
    const retyped = await started.api.put(`${fieldsOf(list.id)}/${text.id}`, {
      custom_field: { field_type: 'number' }
    })
    expect(retyped.error_message).toMatch(/^field_type cannot change from text to number/)
    const shortened = await started.api.put(`${fieldsOf(list.id)}/${choice.id}`, {
      custom_field: { options: [choice.options?.[0]] }
    })
    expect(shortened.error_message).toMatch(/^options cannot lose "Blue"/)
  })

  it('keeps the ids of options and answers their positions', async () => {
    const list = await makeList(started.api)
    const field = await makeField(started.api, list.id, 'Choice', 'select_single_radio', { options })
    const [red, blue] = field.options ?? []
    const { data } = await started.api.put<CustomField>(`${fieldsOf(list.id)}/${field.id}`, {
      custom_field: { options: [blue, { name: 'Green' }, red].map((option, index) => ({ ...option, index })) }
    })
    expect(data.options?.map(({ id, name, index }) => [id, name, index])).toEqual([
      [blue?.id, 'Blue', 0],
      [expect.any(Number), 'Green', 1],
      [red?.id, 'Red', 2]
    ])
  })

  it('to the name of a field that one of its lists has already is refused, a global field included', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'Occupied', 'text')
    const answer = await started.api.post('/custom_fields', {
      custom_field: { name: 'occupied', field_type: 'text' }
    })
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
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
