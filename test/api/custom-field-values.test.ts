import { expect, it } from 'vitest'
import {
  defaultValue,
  type FieldDefinition,
  joinCheckboxes,
  meaningfulValues,
  mergeValues,
  missingFields,
  presentValue,
  readRequiredValue,
  type StoredValue,
  ValueFault
} from '../../src-main/api/custom-fields/rules.ts'
import { englishOf } from '../../src-main/base/refusal.ts'
import { textOf } from '../support/refusals.ts'

function complaintAbout(read: ReturnType<typeof readRequiredValue>): string | null {
  return read instanceof ValueFault ? textOf(read.complaint) : null
}

function field(type: FieldDefinition['type']): FieldDefinition {
  return {
    id: 7,
    organizationId: 1,
    mailingListId: null,
    name: 'F',
    type,
    required: false,
    instructions: null,
    attributes: {},
    options: [{ id: 3, name: 'A', position: 0 }]
  }
}

it.each<[FieldDefinition['type'], StoredValue, StoredValue | undefined]>([
  ['text', 'x', 'x'],
  ['text', 1, undefined],
  ['text_multiline', true, undefined],
  ['number', 1, 1],
  ['number', '1', undefined],
  ['boolean', false, false],
  ['boolean', 'false', undefined],
  ['date', '2014-01-31', '2014-01-31'],
  ['date', '01-31', undefined],
  ['date', 20140131, undefined],
  ['day_of_year', '01-31', '01-31'],
  ['day_of_year', '2014-01-31', undefined],
  ['day_of_year', 131, undefined],
  ['select_single_dropdown', 3, 3],
  ['select_single_radio', 4, undefined],
  ['select_multiple_checkboxes', [4, 3], [3]],
  ['select_multiple_checkboxes', [4], undefined],
  ['select_multiple_checkboxes', 3, undefined]
])('a field changed to a %s returns the stored value %j as %j', (type, stored, value) => {
  const kept = meaningfulValues([field(type)], { 7: stored, 8: 'of another field' })
  expect(kept).toEqual({ 8: 'of another field', ...(value !== undefined && { 7: value }) })
})

const notOne = 'must be one of A, and "B" is not one'
const date = 'must be a date such as 2014-01-31, 01/31/2014 or January 31, 2014'
const dayOfYear = 'must be a day of the year such as 01-31'
const many = 'must be a text, a number, true or false, or an array of texts'

it.each<[FieldDefinition['type'], unknown, StoredValue | null | { complaint: string }]>([
  ['text', 'x', 'x'],
  ['text', 0, '0'],
  ['text', false, 'false'],
  ['text', null, null],
  ['text', undefined, null],
  ['text', '', null],
  ['text', ['x'], { complaint: 'must be a text' }],
  ['text', [null], { complaint: many }],
  ['text', {}, { complaint: many }],
  ['text', 'a\nb', { complaint: 'must be a single line' }],
  ['text', 'a\rb', { complaint: 'must be a single line' }],
  ['text_multiline', 'a\nb', 'a\nb'],
  ['number', ' +12 ', 12],
  ['number', '-12', -12],
  ['number', 7, 7],
  ['number', ' ', null],
  ['number', '1.5', { complaint: 'must be a whole number, and "1.5" is not one' }],
  ['number', 1.5, { complaint: 'must be a whole number' }],
  ['number', '9007199254740991', 9007199254740991],
  ['number', 2 ** 53, { complaint: 'must be from -9007199254740991 to 9007199254740991' }],
  ['number', '-9007199254740992', { complaint: 'must be from -9007199254740991 to 9007199254740991' }],
  ['date', ' ', null],
  ['date', '01/31/2014', '2014-01-31'],
  ['date', 'soon', { complaint: `${date}, and "soon" is not one` }],
  ['date', 7, { complaint: date }],
  ['day_of_year', ' ', null],
  ['day_of_year', '1/31', '01-31'],
  ['day_of_year', '2014-01-31', '01-31'],
  ['day_of_year', 'soon', { complaint: `${dayOfYear}, and "soon" is not one` }],
  ['day_of_year', 7, { complaint: dayOfYear }],
  ['boolean', true, true],
  ['boolean', ' Yes ', true],
  ['boolean', 0, false],
  ['boolean', ' ', null],
  ['boolean', 'maybe', { complaint: 'must be true or false, and "maybe" is neither' }],
  ['select_single_dropdown', ' a ', 3],
  ['select_single_radio', 'A', 3],
  ['select_single_radio', ' ', null],
  ['select_single_radio', 'B', { complaint: notOne }],
  ['select_multiple_checkboxes', 'A; "a" ;', [3]],
  ['select_multiple_checkboxes', ['A', ' '], [3]],
  ['select_multiple_checkboxes', [], null],
  ['select_multiple_checkboxes', 'A;B', { complaint: notOne }]
])('a field that is a %s reads %j as %j', (type, raw, value) => {
  const read = readRequiredValue(field(type), raw, 'mdy')
  expect(read instanceof ValueFault ? { complaint: textOf(read.complaint) } : read).toEqual(value)
})

it('the refusal of a day of the year gives an example in the day and month order of the organization', () => {
  expect(complaintAbout(readRequiredValue(field('day_of_year'), 7, 'dmy'))).toBe(
    'must be a day of the year such as 31-01'
  )
})

it.each<[FieldDefinition['type'], FieldDefinition['attributes'], unknown, string | null]>([
  ['text', { minimum_length: 2, maximum_length: 3 }, 'a', 'must be at least 2 characters'],
  ['text', { minimum_length: 2, maximum_length: 3 }, 'ab', null],
  ['text', { minimum_length: 2, maximum_length: 3 }, 'abc', null],
  ['text', { minimum_length: 2, maximum_length: 3 }, 'abcd', 'must be at most 3 characters'],
  ['number', { minimum_value: -1, maximum_value: 0 }, -2, 'must be at least -1'],
  ['number', { minimum_value: -1, maximum_value: 0 }, -1, null],
  ['number', { minimum_value: -1, maximum_value: 0 }, 0, null],
  ['number', { minimum_value: -1, maximum_value: 0 }, 1, 'must be at most 0']
])('a %s with the bounds %j accepts them, and rejects %j with %j', (type, attributes, raw, complaint) => {
  const read = readRequiredValue({ ...field(type), attributes }, raw, 'mdy')
  expect(read instanceof ValueFault ? textOf(read.complaint) : null).toBe(complaint)
})

it('a required field must not be blank, but for checkboxes', () => {
  const required = (type: FieldDefinition['type']): FieldDefinition => ({ ...field(type), required: true })
  expect(complaintAbout(readRequiredValue(required('text'), '', 'mdy'))).toBe('cannot be blank')
  expect(readRequiredValue(required('text'), 'x', 'mdy')).toBe('x')
  expect(readRequiredValue(required('select_multiple_checkboxes'), '', 'mdy')).toBeNull()
  expect(missingFields([required('text')], {}).map(englishOf)).toEqual(['F cannot be blank'])
  expect(missingFields([required('text')], { 7: '' })).toEqual([])
  expect(missingFields([required('select_multiple_checkboxes')], {})).toEqual([])
  expect(missingFields([field('text')], {})).toEqual([])
})

it('an option is found by its exact spelling first, and a long text is shortened in a refusal', () => {
  const options = ['b', 'B', 'c;d', 'e"f', ...'ghijklm'].map((name, id) => ({ id, name, position: id }))
  const several = (type: FieldDefinition['type']): FieldDefinition => ({ ...field(type), options })
  expect(readRequiredValue(several('select_single_radio'), 'B', 'mdy')).toBe(1)
  expect(readRequiredValue(several('select_multiple_checkboxes'), 'C;D', 'mdy')).toEqual([2])
  const names = ['c;d', 'e"f', 'b']
  const checkboxes = several('select_multiple_checkboxes')
  expect(joinCheckboxes(checkboxes, names)).toBe('"c;d";"e""f";b')
  expect(readRequiredValue(checkboxes, joinCheckboxes(checkboxes, names), 'mdy')).toEqual([2, 3, 0])
  expect(complaintAbout(readRequiredValue(several('select_single_radio'), 'x'.repeat(41), 'mdy'))).toBe(
    `must be one of b, B, c;d, e"f, g, h, i, j, k, l, …, and "${'x'.repeat(40)}…" is not one`
  )
  const others = { ...several('select_single_radio'), options: options.slice(1) }
  expect(complaintAbout(readRequiredValue(others, 'x'.repeat(40), 'mdy'))).toBe(
    `must be one of B, c;d, e"f, g, h, i, j, k, l, m, and "${'x'.repeat(40)}" is not one`
  )
})

it('several options in one cell are read back unchanged, also if their joined names are the name of another option', () => {
  const options = ['a', 'b', 'A;B', 'c'].map((name, id) => ({ id, name, position: id }))
  const checkboxes: FieldDefinition = { ...field('select_multiple_checkboxes'), options }
  for (const [names, cell, ids] of [
    [['a', 'b'], '"a";"b"', [0, 1]],
    [['a', 'c'], 'a;c', [0, 3]],
    [['A;B'], '"A;B"', [2]]
  ] as const) {
    expect(joinCheckboxes(checkboxes, names)).toBe(cell)
    expect(readRequiredValue(checkboxes, cell, 'mdy')).toEqual(ids)
  }
})

it('options are answered by their names', () => {
  const present = (type: FieldDefinition['type'], stored?: StoredValue): unknown =>
    presentValue(field(type), stored)
  expect(present('text', 'x')).toBe('x')
  expect(present('text')).toBeNull()
  expect(present('select_single_radio', 3)).toBe('A')
  expect(present('select_single_radio', 4)).toBeNull()
  expect(present('select_multiple_checkboxes', [3, 4])).toEqual(['A'])
  expect(present('select_multiple_checkboxes')).toEqual([])
})

it('values in a request replace stored ones, and blank values remove them', () => {
  const complaints: string[] = []
  const fields = [field('text'), { ...field('number'), id: 8, name: 'N' }]
  const merged = mergeValues(
    { 7: 'x', 9: 'kept' },
    fields,
    { ' f ': '', n: { value: 1 }, Z: 1 },
    (refusal) => {
      complaints.push(englishOf(refusal))
    }
  )
  expect(merged).toEqual({ 8: 1, 9: 'kept' })
  expect(complaints).toEqual(['custom_fields.Z is no custom field of this list'])
  mergeValues({}, fields, { N: 'many' }, (refusal) => complaints.push(englishOf(refusal)))
  expect(complaints[1]).toBe('N must be a whole number, and "many" is not one')
})

it('the default value is the first default_* attribute; an empty string means no default', () => {
  const given = (attributes: FieldDefinition['attributes']): StoredValue | null =>
    defaultValue({ ...field('text'), attributes })
  expect(given({})).toBeNull()
  expect(given({ default_string: 'x' })).toBe('x')
  expect(given({ default_string: '' })).toBeNull()
  expect(given({ default_integer: 0 })).toBe(0)
  expect(given({ default_boolean: false })).toBe(false)
})
