import { describe, expect, it } from 'vitest'
import { englishOf, type Refusal, refusal } from '../../src-main/base/refusal.ts'
import { readRowFault, withoutCell } from '../../src-main/imports/row-faults.ts'

const faults: Refusal[] = [
  refusal('row_too_wide', { columns: 7, expected: 3 }),
  refusal('row_enclosed'),
  refusal('text_after_enclosure', { enclosure: '"', same: '"' }),
  refusal('blank', { field: 'email' }),
  refusal('blank_primary_key', { field: 'Customer number' }),
  refusal('email_address', { field: 'email', email: 'anna "at" example' }),
  refusal('email_contains', { field: 'email', blank: 'a tab', address: 'anna\t@example.com' }),
  refusal('email_contains_character', {
    field: 'email',
    character: 'U+2061',
    address: 'a\u2061@example.com'
  }),
  refusal('not_one_of', {
    field: 'status',
    values: 'active, bounced',
    value: 'abonniert, and "x" is not one'
  }),
  refusal('not_whole_number', { field: 'Age', value: '12.5' }),
  refusal('not_boolean', { field: 'confirmed', value: 'perhaps' }),
  refusal('not_format', { field: 'email_format', value: 'pdf' }),
  refusal('not_date', {
    field: 'Birthday',
    first: '2014-01-31',
    second: '1/31/2014',
    third: 'x',
    value: 'soon'
  }),
  refusal('not_day_of_year', { field: 'Name day', example: '01-31', value: '32' }),
  refusal('not_in_years', { field: 'subscribe_time', value: '0001-01-01' }),
  refusal('not_ip_address', { field: 'remove_ip', value: 'here' }),
  refusal('loses_zero', { field: 'Postcode', value: '01234' }),
  refusal('loses_plus', { field: 'Phone', value: '+43' }),
  refusal('from_to', { field: 'Age', least: '0', most: '9' }),
  refusal('minimum_length', { field: 'Code', least: '3' }),
  refusal('maximum', { field: 'Age', most: '120' }),
  refusal('single_line', { field: 'City' })
]

describe('the fault of a failed row', () => {
  it.each(faults.map((fault) => [englishOf(fault), fault] as const))(
    'is read from the log: %s',
    (text, fault) => {
      const read = readRowFault(text)

      expect(englishOf(read)).toBe(text)
      expect([read.rule, read.field]).toEqual([fault.rule, fault.field])
    }
  )

  it('is several where required fields are missing', () => {
    const read = readRowFault('Age cannot be blank, City cannot be blank')

    expect(read.rule).toBe('several')
    expect(englishOf(read)).toBe('Age cannot be blank, City cannot be blank')
  })

  it('is the sentence itself where no rule has it', () => {
    expect(readRowFault('the row is odd')).toEqual(refusal('said', { text: 'the row is odd' }))
  })

  it('is without the cell where it stands for several rows', () => {
    const reason = (fault: Refusal): string => englishOf(withoutCell(fault))

    expect(reason(refusal('email_address', { field: 'email', email: 'anna' }))).toBe(
      'email is not a valid email address'
    )
    expect(reason(refusal('not_whole_number', { field: 'Age', value: '12.5' }))).toBe(
      'Age must be a whole number, and "…" is not one'
    )
  })
})
