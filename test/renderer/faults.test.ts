import { describe, expect, it } from 'vitest'
import { type Refusal, refusal } from '../../src-main/base/refusal.ts'
import { ApiFailure } from '../../src-renderer/api/client.ts'
import { placeFaults } from '../../src-renderer/api/faults.ts'
import { refusalSentence } from '../../src-renderer/api/refusal-text.ts'

const said = (text: string): Refusal => refusal('said', { text })
const placed = (refusals: Refusal[] | string, fields: string[]) =>
  placeFaults(new ApiFailure('validation_failed', refusals), fields)

describe('refusals of a call', () => {
  it('stand at their fields, as sentences without the name', () => {
    const refusals = [
      refusal('blank', { field: 'name' }),
      refusal('one_of', { field: 'field_type', values: ['text', 'number', 'date'] })
    ]

    expect(placed(refusals, ['name', 'field_type'])).toEqual({
      atFields: [
        { name: 'name', message: 'This cannot be blank.' },
        { name: 'field_type', message: 'This must be one of text, number, date.' }
      ],
      elsewhere: null
    })
  })

  it("about a hidden field appear outside the fields, with the field's label", () => {
    expect(placed([refusal('blank', { field: 'd_from_name' })], ['name'])).toEqual({
      atFields: [],
      elsewhere: 'From name cannot be blank.'
    })
  })

  it('stand elsewhere where they are about no field', () => {
    expect(placed([refusal('campaign_without_content')], ['name']).elsewhere).toBe(
      'The campaign has no content.'
    )
    expect(placed('the list is gone', ['name']).elsewhere).toBe('The list is gone.')
  })

  it('begin with the value where they name it', () => {
    const taken = refusal('name_taken', { field: 'name', name: 'A, name is B', kind: 'list' })

    expect(placed([taken], ['name']).atFields).toEqual([
      { name: 'name', message: '"A, name is B" is already taken by another list.' }
    ])
  })

  it('are not cut where an option reads like another refusal', () => {
    const refusals = [
      refusal('not_one_of', { field: 'Color', values: ['Red', 'Green'], value: 'Red, name is Blue' }),
      refusal('blank', { field: 'name' })
    ]

    expect(placed(refusals, ['Color', 'name']).atFields).toEqual([
      { name: 'Color', message: 'This must be one of Red, Green, and "Red, name is Blue" is not one.' },
      { name: 'name', message: 'This cannot be blank.' }
    ])
  })

  it('stand together at a field that has two', () => {
    const refusals = [
      refusal('blank', { field: 'name' }),
      refusal('type', { field: 'name', type: 'a string' })
    ]

    expect(placed(refusals, ['name']).atFields).toEqual([
      { name: 'name', message: 'This cannot be blank. This must be a string.' }
    ])
  })

  it('say once that an email is on the list, which the API says twice', () => {
    const twice = ['Email', 'Email address'].map((shown) =>
      refusal('taken_key', { field: 'email', shown, name: 'Email' })
    )

    expect(placed(twice, ['email']).atFields).toEqual([
      { name: 'email', message: 'This is already used by a subscriber on this list.' }
    ])
  })
})

describe('the sentence of a refusal', () => {
  it.each([
    [
      refusal('blank_when_true', { field: 'custom_headers', other: 'custom_headers_enabled' }),
      'Headers cannot be blank when Add headers to every message is true.'
    ],
    [refusal('blank', { field: 'contents.0.subject' }), 'Subject (1) cannot be blank.'],
    [refusal('blank', { field: 'dispatch_attributes.from_email' }), 'From email cannot be blank.'],
    [
      refusal('email_address', { field: 'recipients.1', email: 'some_body' }),
      'Address (2) is not a valid email address: "some_body".'
    ],
    [refusal('blank', { field: 'City (2)' }), 'City (2) cannot be blank.'],
    [refusal('blank', { field: 'company_name' }), 'Company_name cannot be blank.'],
    [
      refusal('not_one_of', { field: 'Rating', values: ['so_so', 'very_good'], value: 'good_enough' }),
      'Rating must be one of so_so, very_good, and "good_enough" is not one.'
    ],
    [
      refusal('too_many_redirects', { url: 'https://x.org/a?list_id=5', most: 5 }),
      'https://x.org/a?list_id=5 redirects more than 5 times.'
    ]
  ])('%j names fields by their labels', (given, sentence) => {
    expect(new ApiFailure('validation_failed', [given]).message).toBe(sentence)
  })

  it('names a missing permission as the page of users does', () => {
    const missing = (permissions: string) =>
      new ApiFailure('not_authorized', [refusal('permission', { permissions, user: 7 })]).message

    expect(missing('campaign/template.create')).toBe(
      'You need the permission “Templates: Create” for this. Ask an administrator.'
    )
    expect(missing('subscriber.read or subscriber.export')).toBe(
      'You need the permission “Subscribers: Read” or “Subscribers: Export” for this. Ask an administrator.'
    )
  })
})

describe('a sentence of another program', () => {
  it.each([
    ['name cannot be blank', 'Name cannot be blank.'],
    ['d_from_name cannot be blank', 'From name cannot be blank.'],
    [
      'custom_headers cannot be blank when custom_headers_enabled is true',
      'Headers cannot be blank when Add headers to every message is true.'
    ],
    ['contents.0.subject cannot be blank', 'Subject (1) cannot be blank.'],
    ['dispatch_attributes.from_email cannot be blank', 'From email cannot be blank.'],
    [
      'recipients.1 is not a valid email address: "some_body"',
      'Address (2) is not a valid email address: "some_body".'
    ],
    ['column_mapping names 6 columns, and line 1 has 2', 'Column mapping names 6 columns, and line 1 has 2.']
  ])('%s: names fields by their labels, and leaves what is quoted alone', (message, sentence) => {
    expect(refusalSentence(said(message))).toBe(sentence)
  })

  it('leaves files, domains and paths alone', () => {
    expect(refusalSentence(said('my_list.csv is not in uploads/my_files'))).toBe(
      'My_list.csv is not in uploads/my_files.'
    )
    expect(refusalSentence(said('the domain mail.example.com is there already'))).toBe(
      'The domain mail.example.com is there already.'
    )
  })
})
