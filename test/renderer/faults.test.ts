import { describe, expect, it } from 'vitest'
import { ApiFailure } from '../../src-renderer/api/client.ts'
import { placeFaults } from '../../src-renderer/api/faults.ts'
import { sentenceOf } from '../../src-renderer/api/sentence.ts'

const placed = (refusal: string, fields: string[]) =>
  placeFaults(new ApiFailure('validation_failed', refusal), fields)

describe('what a call was refused for', () => {
  it('stands at the fields that it names, as sentences', () => {
    expect(
      placed('name cannot be blank, field_type must be one of text, number, date', ['name', 'field_type'])
    ).toEqual({
      atFields: [
        { name: 'name', message: 'Cannot be blank.' },
        { name: 'field_type', message: 'Must be one of text, number, date.' }
      ],
      elsewhere: null
    })
  })

  it('stands elsewhere where no field is named, with the label of one that is not shown', () => {
    expect(placed('d_from_name cannot be blank', ['name'])).toEqual({
      atFields: [],
      elsewhere: 'From name cannot be blank.'
    })
    expect(placed('the list is gone', [])).toEqual({ atFields: [], elsewhere: 'The list is gone.' })
  })

  it('finds fields whose names begin alike or hold signs of patterns', () => {
    expect(placed('City (2) must be a number, City cannot be blank', ['City', 'City (2)']).atFields).toEqual([
      { name: 'City (2)', message: 'Must be a number.' },
      { name: 'City', message: 'Cannot be blank.' }
    ])
  })
})

describe('a message of the API', () => {
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
      'Recipients (2) is not a valid email address: "some_body".'
    ],
    ['column_mapping names 6 columns, and line 1 has 2', 'Column mapping names 6 columns, and line 1 has 2.']
  ])('%s: names fields by their labels, and leaves what is quoted alone', (message, sentence) => {
    expect(sentenceOf(message)).toBe(sentence)
  })

  it('leaves files, domains and paths alone', () => {
    expect(sentenceOf('my_list.csv is not in uploads/my_files')).toBe(
      'My_list.csv is not in uploads/my_files.'
    )
    expect(sentenceOf('the domain mail.example.com is there already')).toBe(
      'The domain mail.example.com is there already.'
    )
  })
})
