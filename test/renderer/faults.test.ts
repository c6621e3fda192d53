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
        { name: 'name', message: 'This cannot be blank.' },
        { name: 'field_type', message: 'This must be one of text, number, date.' }
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

  it('stands at the field with the longer name, and is not cut where an option begins like a field', () => {
    expect(placed('City, State must be at most 2 characters', ['City, State', 'State'])).toEqual({
      atFields: [{ name: 'City, State', message: 'This must be at most 2 characters.' }],
      elsewhere: null
    })
    expect(
      placed('Color must be one of Red, Green light, Blue, email is not valid', ['Color', 'Green', 'email'])
    ).toEqual({
      atFields: [
        { name: 'Color', message: 'This must be one of Red, Green light, Blue.' },
        { name: 'email', message: 'This is not valid.' }
      ],
      elsewhere: null
    })
  })

  it('stands at the field whose value is taken, and is not cut within what is quoted', () => {
    expect(placed('name "City" is already taken by another custom field', ['name'])).toEqual({
      atFields: [{ name: 'name', message: '"City" is already taken by another custom field.' }],
      elsewhere: null
    })
    expect(placed('name "A, name is B" is already taken by another list', ['name'])).toEqual({
      atFields: [{ name: 'name', message: '"A, name is B" is already taken by another list.' }],
      elsewhere: null
    })
    expect(
      placed('Color must be one of the options, and "Red, name is Blue" is not one, name cannot be blank', [
        'Color',
        'name'
      ]).atFields
    ).toEqual([
      { name: 'Color', message: 'This must be one of the options, and "Red, name is Blue" is not one.' },
      { name: 'name', message: 'This cannot be blank.' }
    ])
  })

  it('stands together where a field was refused for two reasons', () => {
    expect(placed('name cannot be blank, name must be a string', ['name']).atFields).toEqual([
      { name: 'name', message: 'This cannot be blank. This must be a string.' }
    ])
  })

  it('finds fields whose names begin alike or hold signs of patterns', () => {
    expect(placed('City (2) must be a number, City cannot be blank', ['City', 'City (2)']).atFields).toEqual([
      { name: 'City (2)', message: 'This must be a number.' },
      { name: 'City', message: 'This cannot be blank.' }
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
      'Address (2) is not a valid email address: "some_body".'
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

it('a permission that is missing is named as the page of users names it', () => {
  expect(sentenceOf('this needs the permission campaign/template.create, which user 7 does not have')).toBe(
    'You need the permission “Templates: Create” for this. Ask an administrator.'
  )
  expect(
    sentenceOf('this needs the permission subscriber.read or subscriber.export, which user 7 does not have')
  ).toBe(
    'You need the permission “Subscribers: Read” or “Subscribers: Export” for this. Ask an administrator.'
  )
})
