import { describe, expect, it } from 'vitest'
import { ApiFailure } from '../../src-renderer/api/client.ts'
import { placeFaults } from '../../src-renderer/api/faults.ts'

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
