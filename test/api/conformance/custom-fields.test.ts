import { describe, expect, it } from 'vitest'
import type { CustomField } from '../../../src-main/api/custom-fields/schema.ts'
import { sharedApplication } from '../../support/application.ts'
import { makeField, makeList, makeSubscriber } from '../../support/builders.ts'

const started = sharedApplication()
let number = 0
const unique = (): string => `Field ${++number}`

describe('a custom field refuses with validation_failed', () => {
  const refusals: [rule: string, field: Record<string, unknown>, message: RegExp][] = [
    ['no name', { field_type: 'text' }, /^name cannot be blank$/],
    ['no type', { name: 'F' }, /^field_type cannot be blank$/],
    [
      'a type that is none',
      { name: 'F', field_type: 'colour' },
      /^field_type must be one of text, text_multiline, number, date, day_of_year/
    ],
    [
      'the name of a reserved import column',
      { name: 'Email', field_type: 'text' },
      /^name must not be Email/
    ],
    [
      'a minimum_length over maximum_length',
      { name: 'F', field_type: 'text', minimum_length: 5, maximum_length: 4 },
      /^minimum_length must not be greater/
    ],
    [
      'a minimum_value over maximum_value',
      { name: 'F', field_type: 'number', minimum_value: 5, maximum_value: 4 },
      /^minimum_value must not be greater/
    ],
    [
      'options of a type that has none',
      { name: 'F', field_type: 'text', options: [{ name: 'A' }] },
      /^options belong to select fields only$/
    ],
    [
      'the same option twice',
      { name: 'F', field_type: 'select_single_radio', options: [{ name: 'A' }, { name: 'a' }] },
      /^options must differ/
    ],
    [
      'a default that is no integer',
      { name: 'F', field_type: 'number', default_integer: 'four' },
      /^default_integer must be an integer or null$/
    ]
  ]
  it.each(refusals)('%s', async (_rule, custom_field, message) => {
    const list = await makeList(started.api)
    const answer = await started.api.post(`/mailing_lists/${list.id}/custom_fields`, { custom_field })
    expect(answer).toMatchObject({ success: false, error_code: 'validation_failed' })
    expect(answer.error_message).toMatch(message)
  })
})

describe('the attributes of a type have these defaults', () => {
  const text = {
    default_string: null,
    minimum_length: null,
    maximum_length: null,
    interpolation_html_encode: true,
    interpolation_url_encode: true
  }
  it.each([
    ['text', text],
    ['text_multiline', { ...text, number_of_rows: null, interpolation_html_newlines: true }],
    ['number', { default_integer: null, minimum_value: null, maximum_value: null }],
    ['date', {}],
    ['day_of_year', {}],
    ['boolean', { default_boolean: null }]
  ])('%s', async (type, defaults) => {
    const list = await makeList(started.api)
    const { id, ...field } = await makeField(started.api, list.id, 'Field', type)
    expect(id).toBeGreaterThan(0)
    expect(field).toEqual({
      is_global: false,
      mailing_list_id: list.id,
      name: 'Field',
      field_type: type,
      required: false,
      instructions: null,
      ...defaults
    })
  })

  it.each(['select_single_dropdown', 'select_single_radio', 'select_multiple_checkboxes'])(
    '%s: options are {id, name, index}, in the order of their index',
    async (type) => {
      const list = await makeList(started.api)
      const field = await makeField(started.api, list.id, 'Field', type, {
        options: [
          { name: 'Second', index: 1 },
          { name: 'First', index: 0 }
        ]
      })
      expect(field.options).toEqual([
        { id: expect.any(Number) as number, name: 'First', index: 0 },
        { id: expect.any(Number) as number, name: 'Second', index: 1 }
      ])
    }
  )
})

describe('values', () => {
  it('minimum values do not apply to blank values of a field that is not required', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'Code', 'text', { minimum_length: 3 })
    await makeField(started.api, list.id, 'Age', 'number', { minimum_value: 18 })
    const made = await makeSubscriber(started.api, list.id, 'a@example.com', {
      custom_fields: { Code: '', Age: null }
    })
    expect(made.custom_fields).toMatchObject({ Code: { value: null }, Age: { value: null } })
  })

  it('required has no effect on select_multiple_checkboxes, and is stored', async () => {
    const list = await makeList(started.api)
    const field = await makeField(started.api, list.id, 'Boxes', 'select_multiple_checkboxes', {
      required: true,
      options: [{ name: 'A' }]
    })
    expect(field.required).toBe(true)
    const made = await makeSubscriber(started.api, list.id, 'a@example.com')
    expect(made.custom_fields['Boxes']).toEqual({
      name: 'Boxes',
      type: 'select_multiple_checkboxes',
      value: []
    })
  })

  it('a required field that is missing or blank in a request is refused by its name', async () => {
    const list = await makeList(started.api)
    await makeField(started.api, list.id, 'City', 'text', { required: true })
    for (const custom_fields of [undefined, {}, { City: '' }, { City: null }]) {
      const answer = await started.api.post(`/mailing_lists/${list.id}/subscribers`, {
        subscriber: { email: 'a@example.com', status: 'active', custom_fields }
      })
      expect(answer).toMatchObject({
        error_code: 'validation_failed',
        error_message: expect.stringContaining('City cannot be blank') as string
      })
    }
  })
})

describe('the listings', () => {
  it('name is exact and name_contains is a part, both in any case; order_by is name or id', async () => {
    const list = await makeList(started.api)
    for (const name of ['beta', 'Alpha', 'alphabet']) await makeField(started.api, list.id, name, 'text')
    const names = async (query: string): Promise<string[]> =>
      (await started.api.get<CustomField[]>(`/mailing_lists/${list.id}/custom_fields?${query}`)).data
        .filter(({ is_global }) => !is_global)
        .map(({ name }) => name)
    expect(await names('name=ALPHA')).toEqual(['Alpha'])
    expect(await names('name_contains=PHA')).toEqual(['Alpha', 'alphabet'])
    expect(await names('order_by=name')).toEqual(['Alpha', 'alphabet', 'beta'])
    expect(await names('')).toEqual(['beta', 'Alpha', 'alphabet'])
    const wrong = await started.api.get(`/mailing_lists/${list.id}/custom_fields?order_by=age`)
    expect(wrong).toMatchObject({ error_code: 'validation_failed' })
    expect(wrong.error_message).toMatch(/^order_by must be one of id, name$/)
  })

  it('of /custom_fields are the global ones of the key’s organization, which every list shows too', async () => {
    const name = unique()
    const { data } = await started.api.post<CustomField>('/custom_fields', {
      custom_field: { name, field_type: 'text' }
    })
    expect(data).toMatchObject({ is_global: true, mailing_list_id: null })
    const list = await makeList(started.api)
    for (const path of ['/custom_fields', `/mailing_lists/${list.id}/custom_fields`]) {
      const { data: fields } = await started.api.get<CustomField[]>(path)
      expect(fields.map((field) => field.id)).toContain(data.id)
    }
    const own = await makeField(started.api, list.id, unique(), 'text')
    const { data: globals } = await started.api.get<CustomField[]>('/custom_fields')
    expect(globals.map((field) => field.id)).not.toContain(own.id)
  })
})

describe('promoting', () => {
  it.each([
    [
      'a global field',
      async () =>
        (
          await started.api.post<CustomField>('/custom_fields', {
            custom_field: { name: unique(), field_type: 'text' }
          })
        ).data.id,
      'validation_failed'
    ],
    ['a field that is not there', () => Promise.resolve(999999), 'not_found']
  ] as const)('of %s is refused', async (_what, id, code) => {
    const answer = await started.api.post('/custom_fields/promote', {
      promote: { custom_field_id: await id() }
    })
    expect(answer).toMatchObject({ success: false, error_code: code })
  })
})
